import { z } from "zod";
import { textParameter } from "../list-wire.ts";

export const reason = textParameter
  .max(500)
  .refine((text) => text.trim() !== "", { error: "must say why" })
  .describe("Why you do this, 1 to 500 characters. Owners of the account read it in their audit");

export const reasonBody = z.strictObject({ reason }).meta({ example: { reason: "The account sends to bought lists" } });

export const guardBody = z
  .strictObject({
    reason,
    on: z.boolean().describe("`false`: the guard counts and warns, and never holds this account"),
  })
  .meta({ example: { reason: "A known customer with an old list", on: false } });

export const replayBody = z
  .strictObject({
    reason,
    id: z.int().min(1).optional().describe("The entry to try again; all of them if absent"),
  })
  .meta({ example: { reason: "The missing sends were restored", id: 17 } });

export const replayResponse = z
  .object({ due: z.int().describe("Entries that a worker tries again within ten seconds").meta({ example: 1 }) })
  .describe("The entries are due");
