import { z } from "zod";
import { AppError } from "../../../errors.ts";

/** Any text that is not such an integer is 404 like an unknown id. */
export const domainIdParams = z.object({
  id: z.string().describe("The `domain_id`").meta({ type: "integer", format: "int32", minimum: 1, example: 1 }),
});

/** Domain ids are PostgreSQL integers. Returns undefined for any other text. */
export function parseDomainId(text: string): number | undefined {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : undefined;
  return id !== undefined && id <= 2_147_483_647 ? id : undefined;
}

export function noSuchDomain(): AppError {
  return new AppError("NOT_FOUND", "This account has no domain with this id.");
}
