import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { type HostileMail, makeMail } from "./attachments/hostile-mails.ts";
import { findDifference, readReceived } from "./attachments/received-mails.ts";
import { type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { createDice, type Dice } from "./seeded-random.ts";
import { createSendingClient, inParallel, makeSenders, senderDomain, type TestSender } from "./sends/sending-client.ts";
import { until } from "./until.ts";

const fullSize = 10_000;
const accounts = 4;
const seed = 20_261_118;

export const proof: Proof = {
  promise:
    "The provider receives the attachments and headers of an accepted mail byte for byte and no other header; every hostile name, type, encoding and header is refused, all of a mail at once",
  covers: [...sendPath, "service/proofs/attachments", "service/src/api/v1/sends", "service/src/attachments"],
  size: { small: 100, full: fullSize },
  run: (size, { serverUrl, progress }) => {
    const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      await cell.start("worker");
      const { url, ignoreLogs } = await cell.start("api");
      ignoreLogs();
      const senders = await makeSenders(cell.db, cell, accounts, [100_000, 1_000_000, 6_000_000]);
      await untilRateIsKnown(cell);
      const sent = await sendAll({ url, senders }, size, progress);
      await untilSent(cell, progress);
      const received = readReceived(cell.simulator);
      const differences: string[] = [];
      for (const [id, mail] of sent.accepted) {
        const difference = await findDifference(cell.simulator, mail, received.get(id));
        if (difference !== undefined) differences.push(`${id}: ${difference}`);
      }
      const extra = [...received.keys()].filter((id) => !sent.accepted.has(id)).length;
      const [row] = await cell.db.query<{ failed: number }>({
        name: "failed-sends",
        text: "select count(*) as failed from sends where status = 'failed'",
      });
      const failed = row?.failed ?? Number.NaN;
      const files = [...sent.accepted.values()].reduce((sum, mail) => sum + mail.files.length, 0);
      return {
        figure:
          `${size} generated mails: ${sent.accepted.size} accepted with ${files} files, ${sent.refused} refused; ` +
          `${sent.wrong.length} verdicts wrong or incomplete${first(sent.wrong)}; the provider received ${differences.length} with another ` +
          `file, header or size${first(differences)}, ${extra} that were not accepted; ${failed} failed (seed ${seed})`,
        holds:
          sent.wrong.length + differences.length + extra + failed === 0 &&
          sent.accepted.size > size / 4 &&
          sent.refused > size / 8,
      };
    });
  },
};

function first(findings: string[]): string {
  return findings[0] === undefined ? "" : ` (first: ${findings[0].slice(0, 300)})`;
}

interface Sent {
  accepted: Map<string, HostileMail>;
  refused: number;
  wrong: string[];
}

async function sendAll(
  { url, senders }: { url: string; senders: TestSender[] },
  size: number,
  progress: ProofTools["progress"],
): Promise<Sent> {
  const dice = createDice(seed);
  const mails = Array.from({ length: size }, () => makeMail(dice, someBytes));
  const client = createSendingClient(8);
  const sent: Sent = { accepted: new Map(), refused: 0, wrong: [] };
  try {
    await inParallel(mails.entries(), 8, async ([number, mail]) => {
      const { attachments, headers, wrongFields } = mail;
      const { status, body } = await client.send(url, senders[number % accounts] as TestSender, {
        attachments,
        headers,
      });
      const expected = wrongFields.length === 0 ? 202 : 422;
      const details = (body.error as { details?: { field: string }[] } | undefined)?.details ?? [];
      const named = new Set(details.map(({ field }) => (field.startsWith("headers") ? "headers" : field)));
      const isComplete = named.symmetricDifference(new Set(wrongFields)).size === 0;
      if (status !== expected || !isComplete)
        sent.wrong.push(`${status} ${[...named].join(" ")} instead of ${expected} ${wrongFields.join(" ")}`);
      if (status === 202) sent.accepted.set(body.id ?? "", mail);
      else sent.refused += 1;
      progress(`${sent.accepted.size + sent.refused} of ${size} mails`);
    });
  } finally {
    client.close();
  }
  return sent;
}

/** One in fifty is longer than a chunk. */
function someBytes(dice: Dice): Buffer {
  const size = dice.roll(50) === 0 ? 200_000 + dice.roll(400_000) : dice.roll(4_000);
  // A pattern of 251 bytes: no two chunks begin alike.
  return Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, () => dice.roll(256))));
}

async function untilSent({ db }: FeedbackCell, progress: ProofTools["progress"]): Promise<void> {
  await until("every send is submitted", 1_200, async () => {
    const [row] = await db.query<{ left: number }>({
      name: "queue-length",
      text: "select count(*) as left from send_queue",
    });
    progress(`${row?.left} left`);
    return row?.left === 0;
  });
}
