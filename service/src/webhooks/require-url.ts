import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { listWebhookNetworks } from "./network-store.ts";
import { type UrlRules, urlProblem } from "./outbound/check-url.ts";

/** 422 for a URL that notifications of this account cannot go to. The addresses of its name are checked at each attempt. */
export async function requireUrl(db: AccountDatabase, rules: UrlRules, url: string): Promise<void> {
  const allowedNetworks = await listWebhookNetworks(db, db.accountId);
  const message = urlProblem(url, { ...rules, allowedNetworks });
  if (message === undefined) return;
  throw new AppError("VALIDATION_ERROR", message, { details: [{ field: "url", code: "invalid", message }] });
}
