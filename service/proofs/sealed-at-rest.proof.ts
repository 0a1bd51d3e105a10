import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../test/private-postgres.ts";
import { createTemplate } from "../test/template-database.ts";
import { aSecret } from "../test/test-config.ts";
import { type FeedbackCell, withFeedbackCell } from "./cell/feedback-cell.ts";
import { binariesLike } from "./failover/postgres-copies.ts";
import { type DiskSearch, searchDisk } from "./leaks/disk-search.ts";
import {
  acceptMails,
  countCorrect,
  countReportedFailures,
  type Marks,
  makeMarks,
  submitAll,
  swapContents,
} from "./leaks/sealed-mails.ts";
import { makeSenders, senderDomain } from "./sends/sending-client.ts";

const swappedPairs = 4;

export const proof: Proof = {
  promise: "Mail bodies are sealed on disk, open only within their own send, and remain readable after a key rotation",
  covers: [
    "service/migrations",
    "service/proofs/leaks",
    "service/src/accept",
    "service/src/crypto",
    "service/src/delivery",
    "service/src/secret.ts",
    "service/src/sends",
  ],
  size: { small: 60, full: 4_000 },
  run: async (size, { serverUrl, progress }) => {
    const server = await startPrivatePostgres(await binariesLike(serverUrl));
    try {
      await createTemplate(server.url);
      return await withFeedbackCell(server.url, { verifiedIdentities: [senderDomain(0), senderDomain(1)] }, (cell) =>
        prove({ server, cell, size, progress }),
      );
    } finally {
      await server.stop();
    }
  },
};

interface Fixture {
  server: PrivatePostgres;
  cell: FeedbackCell;
  size: number;
  progress: ProofTools["progress"];
}

async function prove({ server, cell, size, progress }: Fixture): Promise<Finding> {
  const mark = makeMarks();
  const [before, after] = [cell.environment.CONTENT_KEY ?? "", aSecret("after")];
  const senders = await makeSenders(cell.db, cell, 2, [100_000, 1_000_000, 6_000_000]);
  const accept = (count: number, keys: Record<string, string>) => acceptMails(cell, senders, mark, count, keys);

  progress("accepting under the old key, with the new one as second");
  const mails = [
    ...(await accept(size / 2, { CONTENT_KEY: before })),
    ...(await accept(size / 4, { CONTENT_KEY: before, CONTENT_KEY_SECOND: after })),
  ];
  const whileQueued = await searchDisk(server, cell.db, [mark.sealed, mark.open]);
  const swapped = await swapContents(cell, mails.slice(0, 2 * swappedPairs));

  progress("accepting and submitting under the new key");
  const rotated = { CONTENT_KEY: after, CONTENT_KEY_SECOND: before };
  mails.push(...(await accept(size / 8, rotated)));
  await submitAll(cell, rotated, progress);
  mails.push(...(await accept(size / 8, { CONTENT_KEY: after })));
  await submitAll(cell, { CONTENT_KEY: after }, progress);
  const afterSubmit = await searchDisk(server, cell.db, [mark.sealed, mark.open]);

  const correct = await countCorrect(
    cell,
    mails.filter(({ id }) => !swapped.has(id)),
  );
  const reported = await countReportedFailures(cell, swapped);
  return evaluate({
    mark,
    searches: [whileQueued, afterSubmit],
    mails: mails.length,
    correct,
    swapped: swapped.size,
    reported,
  });
}

interface Results {
  mark: Marks;
  searches: DiskSearch[];
  mails: number;
  correct: number;
  swapped: number;
  reported: number;
}

function evaluate({ mark, searches, mails, correct, swapped, reported }: Results): Finding {
  const found = searches.flatMap((search) => search.found);
  const leaks = found.filter(({ text }) => text === mark.sealed);
  const controls = searches.map((search) => search.found.filter(({ text }) => text === mark.open).length);
  const sum = (of: (search: DiskSearch) => number) => searches.reduce((total, search) => total + of(search), 0);
  return {
    figure:
      `${leaks.length} locations with a body or idempotency key of ${mails} mails, in ${sum(({ files }) => files)} files of the server ` +
      `(${Math.round(sum(({ mebibytes }) => mebibytes))} MiB, WAL included) and ${sum(({ rows }) => rows)} rows; control: their subjects in ` +
      `${controls.join(" and ")} locations; contents swapped between ${swapped} sends: ${reported} of ${swapped} failed with the documented ` +
      `error and were not mailed; after a key rotation ${correct} of ${mails - swapped} others arrived unchanged` +
      leaks
        .slice(0, 5)
        .map(({ location }) => `\nfound in ${location}`)
        .join(""),
    holds:
      leaks.length === 0 &&
      controls.every((locations) => locations > 1) &&
      swapped === 2 * swappedPairs &&
      reported === swapped &&
      correct === mails - swapped,
  };
}
