import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../../src/db/database.ts";
import type { TestApi } from "../../test/with-test-apis.ts";
import type { MarkedAccount } from "./marked-account.ts";

const together = 50;

interface LogSize {
  requests: number;
  stored: number;
  /** The most entries of one hour and code. */
  most: number;
}

/** Refused requests of one account, alternating between two processes that store what they have meanwhile. */
export async function floodLog(
  db: Database,
  apis: TestApi[],
  { accountId, key }: MarkedAccount,
  requests: number,
): Promise<LogSize> {
  for (let sent = 0; sent < requests; sent += together) {
    await Promise.all(
      Array.from({ length: Math.min(together, requests - sent) }, async (_, index) => {
        const { app } = apis[index % apis.length] ?? apis[0] ?? raise();
        const payload = { from: randomUUIDv7(), to: [] };
        const { statusCode } = await app.inject({ method: "POST", url: "/api/v1/send", headers: key, payload });
        if (statusCode !== 422) throw new Error(`a mail without recipients was answered ${statusCode}`);
      }),
    );
    if (sent % 500 === 0) await Promise.all(apis.map(({ deps }) => deps.requestLog.flush()));
  }
  await Promise.all(apis.map(({ deps }) => deps.requestLog.flush()));
  const [row] = await db.query<Omit<LogSize, "requests">>({
    name: "size-of-log",
    text: `
      select coalesce(sum(entries), 0)::integer as stored, coalesce(max(entries), 0)::integer as most
      from (
        select count(*) as entries
        from logged_requests
        where account_id = $1
        group by date_trunc('hour', time_of_id(id)), error_code
      ) as hours`,
    values: [accountId],
  });
  return { requests, stored: row?.stored ?? 0, most: row?.most ?? 0 };
}

function raise(): never {
  throw new Error("there is no API");
}
