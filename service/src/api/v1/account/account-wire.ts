import { z } from "zod";
import type { AccountProfile } from "../../../accounts/account-store.ts";
import type { Caller } from "../../auth/authenticate.ts";

export const accountResponse = z
  .object({
    tenant_id: z.uuid().describe("Id of the account"),
    name: z.string().meta({ example: "Acme" }),
    credential: z.enum(["api_key", "jwt"]).describe("The kind of credential that authenticated this request"),
    mode: z.enum(["live", "test"]).describe("`live`: sends with this credential go out; `test`: they never do"),
    rate_limits: z
      .object({ per_second: z.int(), per_10_seconds: z.int(), per_minute: z.int() })
      .describe("Send requests that the account may make in each window"),
  })
  .meta({ id: "Account", description: "The account behind the credential" });

export function toAccountResponse(account: AccountProfile, caller: Caller): z.infer<typeof accountResponse> {
  return {
    tenant_id: account.id,
    name: account.name,
    credential: caller.credential.kind === "api-key" ? "api_key" : "jwt",
    mode: caller.mode,
    rate_limits: {
      per_second: account.perSecond,
      per_10_seconds: account.per10Seconds,
      per_minute: account.perMinute,
    },
  };
}
