import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { testConfigurationSet } from "../test/domain-fixture.ts";
import { startKnot } from "../test/knot-server.ts";
import { type PosternProcess, spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { type CountingProxy, mostInASecond, startCountingProxy } from "./proxies/counting-proxy.ts";

const withinSeconds = 60;
const fullSize = 10_000;

export const proof: Proof = {
  promise: "Behind 10,000 pending domains a new one is verified within 60 s, at one SES control request a second",
  covers: [
    "service/migrations",
    "service/src/db",
    "service/src/domains",
    "service/src/loops",
    "service/src/provider/ses/identities",
  ],
  size: { small: 300, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const knot = await startKnot("io");
    // At small size the simulator's clock runs fast and the proof requests a check, to avoid the 30 s delays of SES and the schedule.
    const isFull = size === fullSize;
    const speed = isFull ? 1 : 60;
    const simulator = await startSesSimulator({ dnsServer: knot.address, controlRequestsPerSecond: 1, speed });
    const proxy = await startCountingProxy(simulator.url);
    try {
      return await withSimulatedCell(serverUrl, { ...simulator, url: proxy.url }, async (cell) => {
        await createSet(simulator.url, simulator.region);
        await insertPending(cell.db, size);
        // Creating the set used a control request outside the budget; its second must pass before the measurement.
        await sleep(1100);
        proxy.arrivals.length = 0;
        const environment = { ...cell.environment, DNS_SERVERS: knot.address };
        const api = await spawnPostern("api", environment);
        const worker = await spawnPostern("worker", environment);
        const { accessToken } = await aLogin(cell.db, cell.loginDeps);
        const seconds = await registerAndWait({ api, accessToken, publish: knot.publish, isFull }, progress);
        const checked = await countChecked(cell.db);
        await stop([worker, api]);
        return evaluate({ size, seconds, checked, isFull }, proxy);
      });
    } finally {
      await proxy.close();
      await simulator.stop();
      await knot.stop();
    }
  },
};

interface Outcome {
  size: number;
  seconds: number | undefined;
  checked: number;
  isFull: boolean;
}

function evaluate({ size, seconds, checked, isFull }: Outcome, proxy: CountingProxy): Finding {
  const most = mostInASecond(proxy.arrivals);
  const time = seconds === undefined ? `not within ${withinSeconds} s` : `after ${seconds.toFixed(1)} s`;
  return {
    figure:
      `${size} pending domains: a new one was Success ${time}; at most ${most} SES control requests in any second ` +
      `(${proxy.arrivals.length} in all, ${proxy.throttled()} throttled); ${checked} of the others were checked during that time`,
    // Requests of a stalled process arrive together, and other tests can stall the machine of a small run.
    holds: seconds !== undefined && checked > 0 && (!isFull || (most <= 1 && proxy.throttled() === 0)),
  };
}

async function createSet(endpoint: string, region: string): Promise<void> {
  const provider = createSesProvider({ region, endpoint, accountId: "000000000000", partition: "aws" });
  await provider.createConfigurationSet(testConfigurationSet);
}

/** All of them are due, as after a long outage of the worker. */
async function insertPending(db: Database, size: number): Promise<void> {
  const accountId = await anAccount(db);
  await db.query({
    name: "insert-pending",
    text: `
      insert into domains (account_id, domain_name, challenge_token, configuration_set_name, identity_arn, dkim_tokens,
        dkim_zone, registered_at, next_check_at)
      select $1, 'pending-' || n || '.io', 'token-' || n, $3, 'arn:aws:ses:pending', array['a' || n, 'b' || n, 'c' || n],
        'dkim.amazonses.com', now() - make_interval(mins => n % 1000), now() - interval '1 hour'
      from generate_series(1, $2::int) as n`,
    values: [accountId, size, testConfigurationSet],
  });
}

interface Answer {
  domain_id: number;
  verification_status?: string;
  dns_records: { type: string; name: string; value: string }[];
}

interface Registration {
  api: PosternProcess;
  accessToken: string;
  publish(name: string, ...records: string[]): Promise<void>;
  isFull: boolean;
}

/** The route tests check that the API returns this published shape. */
async function answerIn(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

/** Registers, publishes the four records and polls until the domain is verified. Returns the seconds. */
async function registerAndWait(
  { api, accessToken, publish, isFull }: Registration,
  progress: ProofTools["progress"],
): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
  const body = JSON.stringify({ domain_name: `new-${randomBytes(5).toString("hex")}.io` });
  const started = performance.now();
  const registered = await fetch(`${api.url}/api/v1/domains`, { method: "POST", headers, body });
  if (registered.status !== 201) throw new Error(`registering was answered with ${registered.status}`);
  const { domain_id: id, dns_records: records } = await answerIn(registered);
  for (const { type, name, value } of records)
    await publish(name, type === "TXT" ? `TXT "${value}"` : `CNAME ${value}.`);
  if (!isFull) {
    await sleep(1500);
    await fetch(`${api.url}/api/v1/domains/${id}/verify`, { method: "POST", headers });
  }

  for (;;) {
    const seconds = (performance.now() - started) / 1000;
    const answer = await answerIn(await fetch(`${api.url}/api/v1/domains/${id}`, { headers }));
    if (answer.verification_status === "Success") return seconds;
    if (seconds > withinSeconds) return undefined;
    progress(`the new domain is ${answer.verification_status} after ${Math.round(seconds)} s`);
    await sleep(250);
  }
}

async function countChecked(db: Database): Promise<number> {
  const [row] = await db.query<{ checked: number }>({
    name: "count-checked",
    text: "select count(*) as checked from domains where domain_name like 'pending-%' and last_checked_at is not null",
  });
  return row?.checked ?? 0;
}

async function stop(processes: PosternProcess[]): Promise<void> {
  for (const { kill, exited } of processes) {
    kill("SIGTERM");
    await exited;
  }
}
