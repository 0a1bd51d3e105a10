import { holdAccount, releaseAccount } from "../../accounts/account-store.ts";
import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { findGuardState } from "../../guard/guard-store.ts";
import { amountText, durationText, say } from "../../plain-text.ts";
import { holdByOperator, releaseByOperator } from "../../queue/operator-hold.ts";
import { parkSends } from "../../queue/parked-sends.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

const maxNoteLength = 500;

interface HoldOptions {
  /** Undefined: all mail. */
  account?: string;
  reason?: string;
}

export async function runHold(db: Database, { account, reason }: HoldOptions): Promise<void> {
  const note = reason?.slice(0, maxNoteLength);
  if (account === undefined) {
    await holdByOperator(db, note);
    return say(
      "All mail is on hold. The API accepts new mail, which waits in the queue.\nTo resume: `postern admin release`",
    );
  }
  const { id, name } = await getAccountByIdOrEmail(db, account);
  await holdAccount(db, id, note, commandLineActor());
  const parked = await parkSends(db, id);
  say(
    `The mail of ${name} is on hold; ${amountText(parked, "queued send")} parked. The API accepts its new mail, which waits.\n` +
      `To resume: \`postern admin release --account ${account}\``,
  );
}

export async function runRelease(db: Database, { account }: Pick<HoldOptions, "account">): Promise<void> {
  if (account === undefined) {
    const released = await releaseByOperator(db);
    if (released === undefined) {
      return say("Mail was not on hold by the operator, so nothing changed. `postern status` shows other holds.");
    }
    return say(`The hold has ended after ${durationText(released.heldSeconds)}. Workers send the queued mail now.`);
  }
  const { id, name } = await getAccountByIdOrEmail(db, account);
  const released = await releaseAccount(db, id, commandLineActor());
  const isHeldByGuard = (await findGuardState(db, id))?.heldAt !== null;
  const guard = `The guard holds its live mail. \`postern admin guard --account ${account}\` shows why.`;
  if (released === undefined) {
    const unchanged = `The mail of ${name} was not on hold by the operator, so nothing changed.`;
    return say(isHeldByGuard ? `${unchanged}\n${guard}` : unchanged);
  }
  say(
    `The hold on the mail of ${name} has ended after ${durationText(released.heldSeconds)}.\n` +
      (isHeldByGuard ? guard : "Workers resume the parked sends within two seconds."),
  );
}
