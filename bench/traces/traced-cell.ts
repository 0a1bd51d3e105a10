import { randomBytes } from "node:crypto";
import { setLimits } from "../../service/src/accounts/limit-store.ts";
import { createApiServer } from "../../service/src/api/http/create-api-server.ts";
import { readConfig } from "../../service/src/config.ts";
import { openDatabase } from "../../service/src/db/database.ts";
import { DeliveryLoop } from "../../service/src/delivery/delivery-loop.ts";
import { createLog } from "../../service/src/log.ts";
import { createMetrics } from "../../service/src/metrics.ts";
import { openAcceptDeps } from "../../service/src/processes/accept-deps.ts";
import { createApiDeps } from "../../service/src/processes/api-deps.ts";
import { anAccount, anApiKey } from "../../service/test/builders.ts";
import { aDeliveryFixture, answers, aProviderThat } from "../../service/test/delivery-fixture.ts";
import { aVerifiedDomain } from "../../service/test/send-builders.ts";
import { anEnvironment } from "../../service/test/test-config.ts";

export interface TracedCell {
  /** One request after the other, so that the figures do not depend on how many share a round trip. */
  accept(count: number, variant: { hasSdk: boolean; hasHeader: boolean }): Promise<void>;
  /** Claims, submits and settles what was accepted. The provider answers at once. */
  drain(count: number): Promise<void>;
  /** Of the connection that accepts, since it was opened. */
  walBytes(): Promise<number>;
  close(): Promise<void>;
}

const slots = 100;

/** The API and the delivery loop of a cell in this process. A server adds the hooks of traces when it is created, so there are two. */
export async function openTracedCell(url: string, switchSdk: (hasSdk: boolean) => void): Promise<TracedCell> {
  const open = (applicationName: string, poolSize: number) =>
    openDatabase({ url, poolSize, applicationName, onIdleError: () => undefined });
  const [acceptDb, db] = [open("accept", 1), open("others", 4)];
  const config = readConfig(anEnvironment({ DATABASE_URL: url }));
  const acceptDeps = {
    ...(await openAcceptDeps(config, acceptDb)),
    hint: { live: () => undefined, test: () => undefined },
  };
  const parts = { db, log: createLog("silent"), metrics: createMetrics(), domainDeps: undefined, acceptDeps };
  const deps = createApiDeps(config, parts);
  const openServer = (hasSdk: boolean) => {
    switchSdk(hasSdk);
    return createApiServer(createApiDeps(config, parts));
  };
  const servers = { off: await openServer(false), on: await openServer(true) };
  const { contentKey: contentKeys } = config.secrets;
  const { provider } = aProviderThat(() => ({
    ...answers.accepted,
    providerMessageId: randomBytes(12).toString("hex"),
  }));
  const delivery = aDeliveryFixture(db, provider, { contentKeys, log: createLog("silent") }).deps;
  const loop = new DeliveryLoop({ db, mode: "live", slots, maxBytes: 64_000_000, deps: delivery });

  const accountId = await anAccount(db);
  await setLimits(db, accountId, { perSecond: 100_000, per10Seconds: 1_000_000, perMinute: 6_000_000 });
  const domain = await aVerifiedDomain(db, accountId);
  const { key } = await anApiKey(db, deps.apiKeyIssuer, accountId, { type: "live", scopes: ["send"] });
  await db.query({ name: "no-pace", text: `update provider_state set max_per_second = 1000000` });
  const payload = { from: `orders@${domain}`, to: ["jane@example.io"], subject: "Hello", text: "x".repeat(1_500) };

  return {
    async accept(count, { hasSdk, hasHeader }) {
      const app = servers[hasSdk ? "on" : "off"];
      for (let done = 0; done < count; done++) {
        const headers = { "x-api-key": key, ...(hasHeader && { traceparent: newTraceparent() }) };
        const { statusCode, body } = await app.inject({ method: "POST", url: "/api/v1/send", headers, payload });
        if (statusCode !== 202) throw new Error(`a send was answered ${statusCode}: ${body}`);
      }
    },
    async drain(count) {
      for (let left = count; left > 0; ) {
        const claimed = await loop.runOnce();
        if (claimed === 0) throw new Error(`${left} sends were not claimed`);
        left -= claimed;
      }
    },
    async walBytes() {
      await acceptDb.query({ name: "flush-counters", text: "select pg_stat_force_next_flush()" });
      const [row] = await acceptDb.query<{ bytes: number }>({
        name: "wal-bytes",
        text: `select wal_bytes::float8 as bytes from pg_stat_get_backend_wal(pg_backend_pid())`,
      });
      return row?.bytes ?? Number.NaN;
    },
    async close() {
      await Promise.all([servers.off.close(), servers.on.close()]);
      await Promise.all([acceptDb.close(), db.close()]);
    },
  };
}

function newTraceparent(): string {
  return `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
}
