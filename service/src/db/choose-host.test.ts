import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { binariesLike, takeBaseBackup } from "../../proofs/failover/postgres-copies.ts";
import { startTcpProxy } from "../../test/api-process.ts";
import { type PrivatePostgres, startPrivatePostgres } from "../../test/private-postgres.ts";
import { runPostern } from "../../test/run-postern.ts";
import { spawnPostern } from "../../test/spawn-postern.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { embeddedBinaries } from "../dev/postgres/embedded-postgres.ts";
import { applicationName } from "./code-range.ts";
import { type Database, openDatabase } from "./database.ts";
import { postgresClient } from "./postgres-client.ts";

let primary: PrivatePostgres;
let standby: PrivatePostgres;
let removeCopy: () => void;

beforeAll(async () => {
  const binaries = await embeddedBinaries();
  primary = await startPrivatePostgres(binaries);
  const backup = await takeBaseBackup(await binariesLike(primary.url), primary);
  removeCopy = backup.remove;
  standby = await backup.start({ standbyOf: primary.port });
});

afterAll(async () => {
  await standby.stop();
  await primary.stop();
  removeCopy();
});

/** The hosts in this order, without a database of the name `postern`. */
function urlOf(...hosts: string[]): string {
  return `postgres://postern@${hosts.join(",")}/postgres?target_session_attrs=read-write`;
}
const at = (port: number) => `127.0.0.1:${port}`;

test.for(["first", "last"])(
  "of a primary and a standby, connections go to the primary when it is %s",
  async (place) => {
    const hosts = [at(primary.port), at(standby.port)];
    const db = aDatabase(urlOf(...(place === "first" ? hosts : hosts.toReversed())));
    expect(await portOf(db)).toBe(primary.port);
  },
);

test("a host that does not answer or refuses connections delays a connection by less than two seconds", async () => {
  const frozen = await startTcpProxy(primary.url);
  frozen.freeze();
  const begun = performance.now();
  expect(await portOf(aDatabase(urlOf(new URL(frozen.url).host, at(1), at(primary.port))))).toBe(primary.port);
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test("without a primary the error names every server and its reason, and is unavailable for callers", async () => {
  const db = aDatabase(urlOf(at(standby.port), at(1)));
  await expect(portOf(db)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    cause: {
      message: expect.stringMatching(
        /^no server of the URL accepts writes \(127\.0\.0\.1:\d+: accepts no writes; 127\.0\.0\.1:1: .*ECONNREFUSED/,
      ),
    },
  });
});

test("a client that is closed while it looks for the primary opens no connection", async () => {
  let connections = 0;
  const silent = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const client = new (postgresClient())({ connectionString: urlOf(at(primary.port), at(1)) });
  const connecting = client.connect();
  await client.end();
  await expect(connecting).rejects.toThrow("Connection terminated");
  expect(connections).toBe(0);
});

test("a pool opened together asks the servers once, and later connections do not ask the standby", async () => {
  const db = aDatabase(urlOf(at(primary.port), at(standby.port)), 8);
  await Promise.all(Array.from({ length: 8 }, () => portOf(db)));
  const asked = await db.query<{ asked: number }>({
    name: "count-questions",
    text: "select count(*)::int as asked from pg_stat_activity where application_name = 'postern-host-choice'",
  });
  expect(asked[0]?.asked).toBeLessThanOrEqual(1);
});

test("after a failover a running API and worker find the new primary without a restart", async () => {
  const url = urlOf(at(standby.port), at(primary.port));
  const env = anEnvironment({ DATABASE_URL: url, LOG_LEVEL: "info" });
  expect(await runPostern(["migrate"], env)).toMatchObject({ code: 0 });
  const running = await spawnPostern("serve", env);
  onTestFinished(async () => {
    running.kill("SIGKILL");
    await running.exited;
  });
  const status = async () => (await fetch(`${running.url}/readyz`)).status;
  expect(await status()).toBe(200);
  await untilReplayed();
  await primary.stop("SIGQUIT");
  await expect.poll(status, { timeout: 10_000 }).toBe(503);
  const client = new (postgresClient())({ connectionString: standby.url });
  await client.connect();
  await client.query("select pg_promote()");
  await client.end();
  await expect.poll(status, { timeout: 15_000 }).toBe(200);
  const db = aDatabase(url);
  expect(await portOf(db)).toBe(standby.port);
  const names = () =>
    db.query<{ name: string }>({
      name: "sessions-of-serve",
      text: "select distinct application_name as name from pg_stat_activity",
    });
  await expect
    .poll(async () => (await names()).map(({ name }) => name), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(["serve", "hints"].map(applicationName)));
}, 180_000);

test("every connection of the service is made by the class that knows several hosts", () => {
  const source = fileURLToPath(new URL("..", import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("dev/"),
  );
  const makers = files.filter((file) => /new pg\.Client\(/.test(readFileSync(join(source, file), "utf8")));
  expect(makers.toSorted()).toEqual(["db/choose-host.ts", "db/postgres-client.ts"]);
  const pools = files.filter((file) => /new pg\.Pool\(/.test(readFileSync(join(source, file), "utf8")));
  expect(pools.toSorted()).toEqual(["db/database.ts", "db/name-locks.ts"]);
  for (const file of pools) {
    const text = readFileSync(join(source, file), "utf8");
    expect(text.match(/Client: /g)).toHaveLength(text.match(/new pg\.Pool\(/g)?.length ?? 0);
  }
});

/** The standby has applied all that the primary has written. */
async function untilReplayed(): Promise<void> {
  const read = async (server: PrivatePostgres, text: string) => {
    const db = aDatabase(server.url);
    const [row] = await db.query<{ position: string }>({ name: "position", text });
    return row?.position ?? "";
  };
  const written = await read(primary, "select pg_current_wal_lsn()::text as position");
  await expect
    .poll(() => read(standby, `select (pg_last_wal_replay_lsn() >= '${written}')::text as position`), {
      timeout: 10_000,
    })
    .toBe("true");
}

function aDatabase(url: string, poolSize = 2): Database {
  const db = openDatabase({ url, poolSize, applicationName: "postern-test", onIdleError: () => undefined });
  onTestFinished(() => db.close());
  return db;
}

async function portOf(db: Database): Promise<number | undefined> {
  const [row] = await db.query<{ port: number }>({ name: "port", text: "select inet_server_port() as port" });
  return row?.port;
}
