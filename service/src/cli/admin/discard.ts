import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import { type Cancellation, cancelSends } from "../../queue/cancel-sends.ts";
import { countQueued, type QueuedCount } from "../../queue/queued-of-account.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface DiscardOptions {
  account: string;
  before: string;
  yes?: boolean;
}

const message = "The operator discarded this mail while it was queued.";
const sendsPerLine = 5_000;

export async function runDiscard(db: Database, { account, before, yes = false }: DiscardOptions): Promise<void> {
  const { id: accountId, name } = await getAccountByIdOrEmail(db, account);
  const filter = { accountId, before };
  const counts = await countQueued(db, filter);
  say(describe(counts, `${name} from before ${timeText(before)}`));
  if (!yes) return say(dryRunText(sumOf(counts, "sends", isQueued)));
  const discarded = await discardAll(db, { ...filter, message, actor: commandLineActor() });
  say(discardedText(discarded, await countQueued(db, filter)));
}

/** Repeats until a pass finds nothing, because a batch skips sends that another process has locked. */
async function discardAll(db: Database, cancellation: Cancellation): Promise<number> {
  let [total, printed] = [0, 0];
  const printProgress = (discarded: number) => {
    if (discarded - printed < sendsPerLine) return;
    printed = discarded;
    say(`${amountText(printed, "send")} discarded …`);
  };
  for (;;) {
    const earlier = total;
    const moved = await cancelSends(db, cancellation, (cancelled) => printProgress(earlier + cancelled));
    if (moved === 0) return total;
    total += moved;
  }
}

const isQueued = ({ state }: QueuedCount) => state !== "leased" && state !== "in-doubt";
const isLeased = ({ state }: QueuedCount) => state === "leased";
const isInDoubt = ({ state }: QueuedCount) => state === "in-doubt";

function sumOf(counts: QueuedCount[], what: "sends" | "recipients", isWanted: (count: QueuedCount) => boolean): number {
  return counts.filter(isWanted).reduce((sum, count) => sum + count[what], 0);
}

function describe(counts: QueuedCount[], ofAccount: string): string {
  const queued = counts.filter(isQueued);
  const [sends, recipients] = [sumOf(queued, "sends", isQueued), sumOf(queued, "recipients", isQueued)];
  const rows = queued.map(({ state, oldestAt, newestAt, ...count }) => [
    state,
    countText(count.sends),
    countText(count.recipients),
    timeText(oldestAt),
    timeText(newestAt),
  ]);
  const table = aligned([["STATE", "SENDS", "RECIPIENTS", "OLDEST", "NEWEST"], ...rows], {
    indent: "  ",
    right: [1, 2],
  });
  return [
    `${amountText(sends, "queued send")} of ${ofAccount}, to ${amountText(recipients, "recipient")}.`,
    ...(queued.length === 0 ? [] : ["", table, ""]),
    ...stayingText(counts),
  ].join("\n");
}

function stayingText(counts: QueuedCount[]): string[] {
  const [leased, inDoubt] = [sumOf(counts, "sends", isLeased), sumOf(counts, "sends", isInDoubt)];
  if (leased + inDoubt === 0) return [];
  return [`${countText(leased)} being submitted and ${countText(inDoubt)} in doubt stay: SES may have them.`];
}

function dryRunText(sends: number): string {
  if (sends === 0) return "There is nothing to discard.";
  return `Nothing was changed. To end ${sends === 1 ? "it" : `these ${countText(sends)}`} as failed with CANCELLED, add --yes.`;
}

function discardedText(discarded: number, left: QueuedCount[]): string {
  const queued = sumOf(left, "sends", isQueued);
  const staying = stayingText(left);
  return [
    `${amountText(discarded, "send")} discarded: failed with CANCELLED.`,
    ...(queued === 0 ? [] : [`${amountText(queued, "send")} came back into the queue since.`]),
    ...staying,
    ...(queued === 0 && staying.length === 0
      ? []
      : ["Repeat the command later to discard those that are queued again."]),
  ].join("\n");
}
