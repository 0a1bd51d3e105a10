import { onTestFinished } from "vitest";
import type { Database } from "../src/db/database.ts";
import { DeliveryLoop } from "../src/delivery/delivery-loop.ts";
import { AppError } from "../src/errors.ts";
import type { EmailProvider } from "../src/provider/email-provider.ts";
import { anAccount } from "./builders.ts";
import { aDeliveryFixture } from "./delivery-fixture.ts";
import { aQueuedSend, aVerifiedDomain } from "./send-builders.ts";
import { change } from "./send-rows.ts";

/** A loop for live mail that has not started, with its log lines. */
export function aDeliveryLoop(
  db: Database,
  provider: EmailProvider,
  { slots = 100, maxBytes = 64_000_000, hasHints = false } = {},
) {
  const { deps, lines } = aDeliveryFixture(db, provider);
  return { loop: new DeliveryLoop({ db, mode: "live", slots, maxBytes, hasHints: () => hasHints, deps }), lines };
}

/** Stops the loop when the test ends. */
export function startLoop(loop: DeliveryLoop): void {
  loop.start();
  onTestFinished(() => loop.stop());
}

/** Sends of one new account in queue order. Takes the domain over from an earlier test. */
export async function queuedSends(db: Database, count: number, domain?: string): Promise<string[]> {
  const accountId = await anAccount(db);
  await change(db, "delete from domains where domain_name = $1", [domain ?? ""]);
  const fromDomain = await aVerifiedDomain(db, accountId, domain);
  const ids: string[] = [];
  while (ids.length < count) {
    ids.push(await aQueuedSend(db, { accountId, fromDomain, fairInSeconds: ids.length / 1000 }));
  }
  return ids;
}

export async function queueSize(db: Database): Promise<number> {
  const rows = await change(db, "select id from send_queue");
  return rows.length;
}

/** The same database, with an outage that a test starts and ends. */
export function aDeliveryDatabaseWithOutages(working: Database) {
  let isDown = false;
  const db: Database = {
    ...working,
    query: (statement) =>
      isDown ? Promise.reject(new AppError("UNAVAILABLE", "The database is down.")) : working.query(statement),
  };
  return {
    db,
    setDown: (down: boolean) => {
      isDown = down;
    },
  };
}

/** Commits a claim, but returns its result only after `releaseClaims`. */
export function aDatabaseThatDelaysClaims(working: Database) {
  const committed = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const db: Database = {
    ...working,
    query: async <Row>(statement: Parameters<Database["query"]>[0]) => {
      const rows = await working.query<Row>(statement);
      if (statement.name === "claim-sends") {
        committed.resolve();
        await released.promise;
      }
      return rows;
    },
  };
  return { db, claimCommitted: committed.promise, releaseClaims: () => released.resolve() };
}
