import type { Finding, Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { withApiProcesses } from "../test/with-api-processes.ts";
import { type ClosedLoopResult, runClosedLoop } from "./requests/closed-loop.ts";
import { makeSenders } from "./sends/sending-client.ts";

const fullSize = 4_000;
/** As many connections as the API serves without refusing any. */
const fewConnections = 200;
const maxAcceptedMs = 1_000;
const minThroughputShare = 0.7;

export const proof: Proof = {
  promise:
    "With far more connections than the API can serve at once, accepted sends stay fast and the others are refused early",
  covers: [
    "service/proofs/requests",
    "service/src/accept",
    "service/src/api",
    "service/src/db",
    "service/src/processes",
  ],
  size: { small: 600, full: fullSize },
  run: (size, { serverUrl, progress }) =>
    withApiProcesses(serverUrl, 1, async ({ db, processes: [api], credentialDeps }) => {
      if (api === undefined) throw new Error("the API is missing");
      api.ignoreLogs();
      const isFull = size === fullSize;
      const senders = await makeSenders(db, credentialDeps, 20, [100_000, 1_000_000, 6_000_000]);
      const load = {
        port: Number(new URL(api.url).port),
        seconds: isFull ? 20 : 2,
        warmUpSeconds: isFull ? 5 : 1,
        senders,
      };
      progress(`${fewConnections} connections`);
      const few = await runClosedLoop({ ...load, connections: fewConnections });
      progress(`${size} connections`);
      const many = await runClosedLoop({ ...load, connections: size });
      const stored = await countStored(db);
      return evaluate({ few, many, stored, seconds: load.seconds, size });
    }),
};

async function countStored(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-sends",
    text: `select count(*)::integer as count from sends`,
  });
  return row?.count ?? 0;
}

interface Measured {
  few: ClosedLoopResult;
  many: ClosedLoopResult;
  stored: number;
  seconds: number;
  size: number;
}

function evaluate({ few, many, stored, seconds, size }: Measured): Finding {
  const failed = few.failed + many.failed;
  const difference = stored - few.acceptedInAll - many.acceptedInAll;
  const share = many.accepted / few.accepted;
  const ms = ({ p50, p99 }: { p50: number; p99: number }) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
  return {
    figure:
      `${size} connections: ${Math.round(many.accepted / seconds)} accepted a second (${ms(many.acceptedMs)}), ` +
      `${Math.round(many.refused / seconds)} refused (${ms(many.refusedMs)}); ${fewConnections} connections: ` +
      `${Math.round(few.accepted / seconds)} accepted a second (${ms(few.acceptedMs)}), ${Math.round(few.refused / seconds)} refused; ` +
      `${failed} other answers; stored mails less 202 answers: ${difference}`,
    holds:
      failed === 0 &&
      difference === 0 &&
      many.accepted > 0 &&
      // Times measured beside other tests prove nothing.
      (size !== fullSize || (many.acceptedMs.p99 <= maxAcceptedMs && share >= minThroughputShare)),
  };
}
