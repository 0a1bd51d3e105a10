import type { ProofTools } from "../../../scripts/proof.ts";
import { embeddedBinaries } from "../../src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../../test/private-postgres.ts";
import { makeShippedPostern } from "../../test/shipped-postern.ts";
import { createTemplate } from "../../test/template-database.ts";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "../cell/feedback-cell.ts";
import { createSendingClient, makeSenders, senderDomain, type TestSender } from "../sends/sending-client.ts";
import { until } from "../until.ts";

const warmUpMails = 20;

interface IdleCell extends FeedbackCell {
  api: Awaited<ReturnType<FeedbackCell["start"]>>;
  worker: Awaited<ReturnType<FeedbackCell["start"]>>;
}

/**
 * A cell on a PostgreSQL of its own with its default settings, because the one of other proofs has their work and their caches. It has sent
 * some mail, so that everything that a first mail loads is loaded.
 */
export async function withIdleCell<Result>(
  { progress }: Pick<ProofTools, "progress">,
  work: (cell: IdleCell) => Promise<Result>,
): Promise<Result> {
  const server = await startPrivatePostgres(await embeddedBinaries(), undefined, { max_connections: "100", jit: "on" });
  const shipped = makeShippedPostern();
  try {
    await createTemplate(server.url);
    return await withFeedbackCell(server.url, { verifiedIdentities: [senderDomain(0)] }, async (cell) => {
      const api = await cell.start("api", {}, shipped.program);
      const worker = await cell.start("worker", {}, shipped.program);
      const [sender] = (await makeSenders(cell.db, cell, 1, [1_000, 10_000, 60_000])) as [TestSender];
      await untilRateIsKnown(cell);
      const client = createSendingClient(4);
      for (let sent = 0; sent < warmUpMails; sent++) await client.send(api.url, sender, {});
      client.close();
      await until("all mail is delivered", 60, async () => (await countDelivered(cell)) === warmUpMails);
      progress(`${warmUpMails} mails are delivered`);
      return work({ ...cell, api, worker });
    });
  } finally {
    shipped.remove();
    await server.stop();
  }
}

async function countDelivered({ db }: FeedbackCell): Promise<number> {
  const [row] = await db.query<{ delivered: number }>({
    name: "count-delivered",
    text: `select count(*) as delivered from events where event_type = 'Delivery'`,
  });
  return row?.delivered ?? 0;
}
