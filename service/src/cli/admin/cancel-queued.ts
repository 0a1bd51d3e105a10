import { setTimeout as sleep } from "node:timers/promises";
import { commandLineActor } from "../../actor.ts";
import type { FoundApiKey } from "../../api-keys/find-api-key.ts";
import type { Database } from "../../db/database.ts";
import { amountText, countText, printable, say, timeText } from "../../plain-text.ts";
import { cancelSends } from "../../queue/cancel-sends.ts";
import { listSends } from "../../sends/list-sends.ts";
import type { SendRecord } from "../../sends/send-store.ts";

/** An accept statement that began before the revocation ends within ten seconds, and its send is visible afterwards. */
const statementsEndMs = 12_000;
const pageSize = 500;
const message = "The operator revoked the API key of this send and cancelled its queued mail.";

/** Cancels the queued sends of a revoked key, then lists every send of the key, newest first, with its status. */
export async function cancelQueued(db: Database, key: FoundApiKey, waitMs = statementsEndMs): Promise<void> {
  const cancellation = { accountId: key.accountId, apiKeyId: key.id, message, actor: commandLineActor() };
  let cancelled = await cancelSends(db, cancellation);
  say(`${amountText(cancelled, "queued send")} cancelled. Waiting ${waitMs / 1000} s for requests in progress …`);
  await sleep(waitMs);
  cancelled += await cancelSends(db, cancellation);
  const counts = await printSends(db, key);
  say(`\n${describe(cancelled, counts)}`);
}

type Counts = Map<SendRecord["status"], number>;

async function printSends(db: Database, key: FoundApiKey): Promise<Counts> {
  const counts: Counts = new Map();
  for (let before: string | undefined; ; ) {
    const { sends, nextBefore } = await listSends(db.forAccount(key.accountId), [key.type], {
      ...noFilter,
      apiKeyId: key.id,
      since: key.createdAt,
      before,
    });
    for (const send of sends) {
      counts.set(send.status, (counts.get(send.status) ?? 0) + 1);
      say(lineOf(send));
    }
    if (nextBefore === undefined) return counts;
    before = nextBefore;
  }
}

const noFilter = {
  status: undefined,
  recipient: undefined,
  fromDomains: undefined,
  providerMessageId: undefined,
  until: undefined,
  limit: pageSize,
};

function lineOf({ id, queuedAt, status, errorCode, toAddresses }: SendRecord): string {
  const outcome = errorCode === null ? status : `${status} ${errorCode}`;
  return printable(`${id}  ${timeText(queuedAt)}  ${outcome.padEnd(16)}  ${toAddresses.join(", ")}`);
}

function describe(cancelled: number, counts: Counts): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const byStatus = [...counts].map(([status, count]) => `${countText(count)} ${status}`).join(", ");
  const onTheirWay = (counts.get("processing") ?? 0) + (counts.get("queued") ?? 0);
  return [
    total === 0 ? "The key has sent nothing." : `${amountText(total, "send")} of this key: ${byStatus}.`,
    `${amountText(cancelled, "send")} cancelled: failed with CANCELLED.`,
    ...(onTheirWay === 0
      ? []
      : [
          `A worker is submitting ${countText(onTheirWay)} of them, or the outcome is in doubt. Repeat the command in a minute to cancel their retries.`,
        ]),
  ].join("\n");
}
