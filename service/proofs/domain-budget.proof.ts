import { setTimeout as sleep } from "node:timers/promises";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { testConfigurationSet } from "../test/domain-fixture.ts";
import { startKnot } from "../test/knot-server.ts";
import { spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { createSet, registerAndWait, stopAll, withinSeconds } from "./domains/new-domain.ts";
import { type CountingProxy, mostInASecond, startCountingProxy } from "./proxies/counting-proxy.ts";

const fullSize = 10_000;

export const proof: Proof = {
  promise: "Behind 10,000 pending domains a new one is verified within 60 s, at one SES control request a second",
  covers: [
    "service/migrations",
    "service/proofs/domains",
    "service/src/db",
    "service/src/domains",
    "service/src/loops",
    "service/src/provider/control-call-tokens.ts",
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
        await stopAll([worker, api]);
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

async function countChecked(db: Database): Promise<number> {
  const [row] = await db.query<{ checked: number }>({
    name: "count-checked",
    text: "select count(*) as checked from domains where domain_name like 'pending-%' and last_checked_at is not null",
  });
  return row?.checked ?? 0;
}
