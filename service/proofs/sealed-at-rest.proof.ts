import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../test/private-postgres.ts";
import { createTemplate } from "../test/template-database.ts";
import { aSecret } from "../test/test-config.ts";
import { type DiskSearch, searchDisk } from "./disk-search.ts";
import { type FeedbackCell, withFeedbackCell } from "./feedback-cell.ts";
import { binariesLike } from "./postgres-copies.ts";
import { acceptMails, countRight, countTruthful, type Marks, makeMarks, submit, swapContents } from "./sealed-mails.ts";
import { makeSenders, senderDomain } from "./sending-client.ts";

const swappedPairs = 4;

export const proof: Proof = {
  promise: "Bodies of mails lie on disk sealed, open only in their own send, and outlive the rotation of the key",
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

interface Stage {
  server: PrivatePostgres;
  cell: FeedbackCell;
  size: number;
  progress: ProofTools["progress"];
}

async function prove({ server, cell, size, progress }: Stage): Promise<Finding> {
  const mark = makeMarks();
  const [before, after] = [cell.environment.CONTENT_KEY ?? "", aSecret("after")];
  const senders = await makeSenders(cell.db, cell, 2, [100_000, 1_000_000, 6_000_000]);
  const accept = (count: number, keys: Record<string, string>) => acceptMails(cell, senders, mark, count, keys);

  progress("accepted under the old key, and with the new one beside it");
  const mails = [
    ...(await accept(size / 2, { CONTENT_KEY: before })),
    ...(await accept(size / 4, { CONTENT_KEY: before, CONTENT_KEY_SECOND: after })),
  ];
  const waiting = await searchDisk(server, cell.db, [mark.sealed, mark.open]);
  const swapped = await swapContents(cell, mails.slice(0, 2 * swappedPairs));

  progress("accepted and handed over under the new key");
  const rotated = { CONTENT_KEY: after, CONTENT_KEY_SECOND: before };
  mails.push(...(await accept(size / 8, rotated)));
  await submit(cell, rotated, progress);
  mails.push(...(await accept(size / 8, { CONTENT_KEY: after })));
  await submit(cell, { CONTENT_KEY: after }, progress);
  const sent = await searchDisk(server, cell.db, [mark.sealed, mark.open]);

  const right = await countRight(
    cell,
    mails.filter(({ id }) => !swapped.has(id)),
  );
  const truthful = await countTruthful(cell, swapped);
  return judge({ mark, searches: [waiting, sent], mails: mails.length, right, swapped: swapped.size, truthful });
}

interface Found {
  mark: Marks;
  searches: DiskSearch[];
  mails: number;
  right: number;
  swapped: number;
  truthful: number;
}

function judge({ mark, searches, mails, right, swapped, truthful }: Found): Finding {
  const found = searches.flatMap((search) => search.found);
  const leaks = found.filter(({ text }) => text === mark.sealed);
  const controls = searches.map((search) => search.found.filter(({ text }) => text === mark.open).length);
  const sum = (of: (search: DiskSearch) => number) => searches.reduce((total, search) => total + of(search), 0);
  return {
    figure:
      `${leaks.length} places with a body or idempotency key of ${mails} mails, in ${sum(({ files }) => files)} files of the server ` +
      `(${Math.round(sum(({ mebibytes }) => mebibytes))} MiB, WAL included) and ${sum(({ rows }) => rows)} rows; control: their subjects in ` +
      `${controls.join(" and ")} places; contents swapped between ${swapped} sends: ${truthful} of ${swapped} failed truthfully and ` +
      `were not mailed; through a rotation of the key ${right} of ${mails - swapped} others arrived as they were written` +
      leaks
        .slice(0, 5)
        .map(({ place }) => `\nfound in ${place}`)
        .join(""),
    holds:
      leaks.length === 0 &&
      controls.every((places) => places > 1) &&
      swapped === 2 * swappedPairs &&
      truthful === swapped &&
      right === mails - swapped,
  };
}
