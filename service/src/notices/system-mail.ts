import { randomUUIDv7 } from "node:crypto";
import { type AcceptDeps, acceptSend } from "../accept/accept-send.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { SendSystemMail } from "../logins/mailed-token.ts";
import { type ParsedMailbox, parseAddress } from "../mail-address.ts";
import { findSystemAccount } from "./find-causes.ts";
import { toRequest } from "./send-notices.ts";

/** Mails the links of invitations and password resets through Postern itself, as mail of the account that has the sender's domain. */
export function createSystemMail(deps: {
  db: Database;
  log: Log;
  accept: AcceptDeps;
  sender: ParsedMailbox;
}): SendSystemMail {
  const { db, log, accept, sender } = deps;
  return async ({ to, subject, text }) => {
    const recipient = parseAddress(to);
    if ("problem" in recipient) return false;
    const accountId = await findSystemAccount(db, sender.address.domain);
    if (accountId === undefined) {
      log.warn({ domain: sender.address.domain }, "notices.sender-not-usable");
      return false;
    }
    const acceptance = await acceptSend(
      accept,
      { accountId, mode: "live", secretId: undefined, apiKeyId: undefined },
      toRequest(sender, [recipient], { subject, text }, `system-mail:${randomUUIDv7()}`),
    );
    const isAccepted = acceptance.kind === "stored" && acceptance.accepted.status === "queued";
    if (!isAccepted) log.warn({ notice: "system-mail", refused: acceptance.kind }, "notices.refused");
    return isAccepted;
  };
}
