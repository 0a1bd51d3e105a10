import { holdAccount, releaseAccount } from "../../accounts/account-store.ts";
import type { Database } from "../../db/database.ts";
import { amountText, durationText, say } from "../../plain-text.ts";
import { holdByOperator, releaseByOperator } from "../../queue/operator-hold.ts";
import { parkSends } from "../../queue/parked-sends.ts";
import { getAccountNamed, misused, readCommandLine } from "../command-options.ts";

const help = `Usage: postern admin hold    [--account EMAIL-or-ID] [--reason TEXT]
       postern admin release [--account EMAIL-or-ID]

Stops and starts the handing over of all mail, or of one account's. Mail is accepted meanwhile and waits; nothing is lost
or failed, and what is being handed over at that moment is finished. A hold stays until it is released by this command.`;

const longestNote = 500;

export async function runHold(db: Database, args: string[]): Promise<void> {
  const { account, reason } = readOptions(args, { account: { type: "string" }, reason: { type: "string" } });
  const note = reason?.slice(0, longestNote);
  if (account === undefined) {
    await holdByOperator(db, note);
    return say("All mail is held. It is accepted and waits until `postern admin release`.");
  }
  const { id, name } = await getAccountNamed(db, account);
  await holdAccount(db, id, note);
  const parked = await parkSends(db, id);
  say(
    `The mail of ${name} is held; ${amountText(parked, "send")} put aside.\n` +
      `What it sends is accepted and waits until \`postern admin release --account ${account}\`.`,
  );
}

export async function runRelease(db: Database, args: string[]): Promise<void> {
  const { account } = readOptions(args, { account: { type: "string" } });
  if (account === undefined) {
    const released = await releaseByOperator(db);
    if (released === undefined) return say("Mail was not held by an operator; `postern status` tells of other holds.");
    return say(`Mail goes on, after a hold of ${durationText(released.heldSeconds)}.`);
  }
  const { id, name } = await getAccountNamed(db, account);
  const released = await releaseAccount(db, id);
  if (released === undefined) return say(`The mail of ${name} was not held.`);
  say(
    `The mail of ${name} goes on, after a hold of ${durationText(released.heldSeconds)}.\n` +
      "Workers take up what was put aside within a second.",
  );
}

function readOptions<Kinds extends Record<string, { type: "string" }>>(args: string[], kinds: Kinds) {
  const { options, words } = readCommandLine(args, kinds, help);
  if (words.length > 0) throw misused(`"${words[0]}" is no option; an account is named by --account.`, help);
  return options;
}
