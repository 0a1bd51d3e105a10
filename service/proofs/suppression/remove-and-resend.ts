import type { ProofTools } from "../../../scripts/proof.ts";
import { aLogin } from "../../test/builders.ts";
import { type FeedbackCell, untilRateIsKnown } from "../cell/feedback-cell.ts";
import { readWholeLedger } from "../cell/ledger-tail.ts";
import { changeSimulator } from "../cell/simulator-control.ts";
import { createSendingClient, inParallel, makeSenders, type TestSender } from "../sends/sending-client.ts";
import { until } from "../until.ts";

/** Takes each address through real processes: mailed, bounced, suppressed, removed from the list, mailed again. */
export async function removeAndResend(cell: FeedbackCell, count: number, progress: ProofTools["progress"]) {
  const [sender] = await makeSenders(cell.db, cell, 1, [100_000, 1_000_000, 6_000_000]);
  if (sender === undefined) throw new Error("there is no sender");
  const { accessToken } = await aLogin(cell.db, cell.loginDeps, { accountId: sender.accountId });
  const [api] = await Promise.all([cell.start("api"), cell.start("worker")]);
  await untilRateIsKnown(cell);
  const client = createSendingClient(8);
  const addresses = Array.from({ length: count }, (_, number) => `again-${number}@example.io`);
  try {
    const send = async (address: string) => {
      const { status, body } = await client.send(api.url, sender, { to: [address] });
      if (status !== 202) throw new Error(`a send was answered ${status}`);
      return body as { id: string; status: string };
    };
    for (const address of addresses) await send(address);
    await bounceAll(cell, addresses, sender);
    let [suppressed, done] = [0, 0];
    const resentIds: string[] = [];
    await inParallel(addresses, 8, async (address) => {
      if ((await send(address)).status === "suppressed") suppressed += 1;
      await removeSuppression(api.url, accessToken, address);
      resentIds.push((await send(address)).id);
      done += 1;
      progress(`${done} of ${count} removed and mailed again`);
    });
    await until("all are settled", 60, async () => (await countQueued(cell)) === 0);
    const inLedger = new Set(readWholeLedger(cell.simulator).map(({ sendId }) => sendId));
    return { sends: count, suppressed, reached: resentIds.filter((id) => inLedger.has(id)).length };
  } finally {
    client.close();
  }
}

async function bounceAll(cell: FeedbackCell, addresses: string[], { accountId }: TestSender): Promise<void> {
  const { simulator, db } = cell;
  const mails = () => readWholeLedger(simulator).filter(({ recipients }) => addresses.includes(recipients[0] ?? ""));
  await until("all are mailed once", 60, async () => mails().length === addresses.length);
  for (const { messageId } of mails()) {
    await changeSimulator(simulator, "POST", `mails/${messageId}/events`, { type: "Bounce" });
  }
  await until("all are suppressed", 60, async () => {
    const [row] = await db.query<{ count: number }>({
      name: "count-suppressed",
      text: `select count(*) as count from suppressions where account_id = $1`,
      values: [accountId],
    });
    return row?.count === addresses.length;
  });
}

async function removeSuppression(apiUrl: string, accessToken: string, address: string): Promise<void> {
  const response = await fetch(`${apiUrl}/api/v1/suppression/${encodeURIComponent(address)}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${accessToken}` },
  });
  if (response.status !== 200) throw new Error(`a removal was answered ${response.status}: ${await response.text()}`);
}

async function countQueued({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-queued",
    text: `select count(*) as count from send_queue`,
  });
  return row?.count ?? -1;
}
