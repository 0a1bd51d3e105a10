import { z } from "zod";
import type { AccountProfile } from "../../../accounts/account-store.ts";
import type { Caller } from "../../auth/authenticate.ts";

export const accountAnswer = z
  .object({
    tenant_id: z.uuid().describe("The account"),
    name: z.string(),
    credential: z.enum(["api_key", "jwt"]).describe("What this request was authenticated by"),
    mode: z.enum(["live", "test"]).describe("Whether a send with this credential is real"),
    rate_limits: z
      .object({ per_second: z.int(), per_10_seconds: z.int(), per_minute: z.int() })
      .describe("Sends the account may request in each window"),
  })
  .meta({ id: "Account", description: "The account behind the credential" });

export function toAccountAnswer(account: AccountProfile, caller: Caller): z.infer<typeof accountAnswer> {
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
