import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import type { Environment } from "../../src/config.ts";
import { type Pgbouncer, startPgbouncer } from "../../test/pgbouncer/start-pgbouncer.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import { type FeedbackCell, withFeedbackCell } from "../cell/feedback-cell.ts";
import { makeSenders, senderDomain, type TestSender } from "../sends/sending-client.ts";

export interface PooledCell extends FeedbackCell {
  pgbouncer: Pgbouncer;
  senders: TestSender[];
  /** Of processes that use PgBouncer. The environment of the cell leads to PostgreSQL itself. */
  pooled: Environment;
}

const run = promisify(execFile);
/** SES reports each mail within milliseconds here, so a short wait is enough. */
const inDoubt = { IN_DOUBT_SECONDS: "5", IN_DOUBT_MAX_SECONDS: "240" };

/** A cell with accounts, and PgBouncer with 20 server connections in front of its database, prepared as docs/pooler.md says. */
export async function withPooledCell<Result>(
  serverUrl: string,
  accounts: number,
  work: (cell: PooledCell) => Promise<Result>,
): Promise<Result> {
  const verifiedIdentities = Array.from({ length: accounts }, (_, number) => senderDomain(number));
  return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
    const senders = await makeSenders(cell.db, cell, accounts, [100_000, 1_000_000, 6_000_000]);
    const pgbouncer = await startPgbouncer(cell.url);
    try {
      const pooled = { ...cell.environment, ...inDoubt, DATABASE_URL: pgbouncer.url, DATABASE_DIRECT_URL: cell.url };
      await run(process.execPath, [posternPath, "migrate"], { cwd: tmpdir(), env: pooled, timeout: 60_000 });
      return await work({ ...cell, pgbouncer, senders, pooled });
    } finally {
      await pgbouncer.stop();
    }
  });
}
