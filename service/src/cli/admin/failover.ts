import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { listUnknownSends } from "../../feedback/quarantine-store.ts";
import { declareFailover, type FailoverCause } from "../../in-doubt/failover-store.ts";
import { releaseSweptSends } from "../../in-doubt/failover-sweep.ts";
import { type LastFailover, readLastFailover } from "../../in-doubt/last-failover.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import { countedForPeople } from "../../status/cell-state.ts";
import { misused, readCommandLine } from "../command-options.ts";

const help = `Usage: postern admin failover show          what is known of the last failover or restore
       postern admin failover declare       say that the database is an older copy of itself, where Postern cannot tell
       postern admin failover confirm-no-loss  say that the last change lost nothing, so that its sends need not wait

After \`declare\`, and whenever workers notice another server by themselves, all live mail that is on its way is in doubt: what
SES tells of leaves the queue, and the rest is sent again or failed after the waiting time, as IN_DOUBT_POLICY says.
Use \`confirm-no-loss\` only after a clean switchover, an upgrade or a move with every process stopped, or with synchronous
replication: otherwise mail goes out twice.`;

const listedAtMost = 200;

const causes: Record<FailoverCause, string> = {
  server: "another system, timeline or database",
  rewound: "the server had more on disk before",
  feedback: "SES told of what is not in the record",
  operator: "declared by the operator",
};

export async function runFailover(db: Database, args: string[]): Promise<void> {
  const { words } = readCommandLine(args, {}, help);
  const [verb, ...rest] = words;
  if (rest.length > 0) throw misused(`"${rest[0]}" is one word too many.`, help);
  switch (verb) {
    case "show":
      return show(db);
    case "declare":
      await declareFailover(db, "operator", "infinity");
      return say(
        "Noted. Workers hand nothing over until all live mail that is on its way is in doubt, which they do now.",
      );
    case "confirm-no-loss":
      return lostNothing(db);
    default:
      throw misused(verb === undefined ? "Say what to do." : `There is no "failover ${verb}".`, help);
  }
}

async function show(db: Database): Promise<void> {
  const [change, unknown] = await Promise.all([
    readLastFailover(db, countedForPeople),
    listUnknownSends(db, listedAtMost),
  ]);
  const listed = unknown.map(({ sendId, receivedAt }) => [sendId, `told ${timeText(receivedAt)}`]);
  const first =
    unknown.length === listedAtMost ? `The newest ${listedAtMost} sends` : amountText(unknown.length, "send");
  say(
    [
      change === null ? "No failover or restore was noticed." : describe(change),
      unknown.length === 0
        ? "SES tells of no send that this database does not have."
        : `${first} that SES took and this database does not have:\n${aligned(listed, { indent: "  " })}`,
    ].join("\n\n"),
  );
}

function describe({ noticedAt, cause, before, after, markedInDoubt, inDoubt, isSweeping }: LastFailover): string {
  return aligned([
    ["noticed", timeText(noticedAt)],
    ["by", causes[cause]],
    ["before", before ?? "not known"],
    ["now", after],
    ["put in doubt", `${amountText(markedInDoubt, "send")}${isSweeping ? " so far" : ""}`],
    ["still in doubt", countText(inDoubt, countedForPeople)],
  ]);
}

async function lostNothing(db: Database): Promise<void> {
  const change = await readLastFailover(db, 1);
  if (change === null)
    throw new AppError("NOT_FOUND", "No failover or restore was noticed, so nothing is in doubt by one.");
  if (change.isSweeping) {
    throw new AppError(
      "CONFLICT",
      "Its sends are still being put in doubt. Is a worker running? Then try again shortly.",
    );
  }
  const withdrawn = await releaseSweptSends(db);
  say(`${amountText(withdrawn, "send")} ready again. What was being handed over at the change stays in doubt.`);
}
