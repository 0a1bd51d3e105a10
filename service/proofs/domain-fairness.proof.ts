import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { dnsRecordsOf } from "../src/domains/domain.ts";
import { listDomains } from "../src/domains/domain-store.ts";
import { aLogin, anAccount } from "../test/builders.ts";
import { testConfigurationSet } from "../test/domain-fixture.ts";
import { startKnot } from "../test/knot-server.ts";
import { spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { createSet, registerAndWait, stopAll, withinSeconds } from "./domains/new-domain.ts";
import { type CountingProxy, mostInASecond, startCountingProxy } from "./proxies/counting-proxy.ts";

const fullSize = 100;
const parallelLoops = 8;

export const proof: Proof = {
  promise:
    "While one account registers and removes domains in a loop and another has 100 pending ones, a third gets a domain verified within 60 s",
  covers: [
    "service/migrations",
    "service/proofs/domains",
    "service/src/db",
    "service/src/domains",
    "service/src/provider/control-call-tokens.ts",
  ],
  size: { small: 15, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const isFull = size === fullSize;
    const knot = await startKnot("io");
    // A small run makes everything four times as fast, and the delays of SES 60 times.
    const scale = isFull ? 1 : 4;
    const simulator = await startSesSimulator({
      dnsServer: knot.address,
      controlRequestsPerSecond: scale,
      speed: isFull ? 1 : 60,
    });
    const proxy = await startCountingProxy(simulator.url);
    try {
      return await withSimulatedCell(serverUrl, { ...simulator, url: proxy.url }, async (cell) => {
        await createSet(simulator.url, simulator.region);
        await setSpacing(cell.db, 1.2 / scale);
        await insertWaitingForDkim(cell.db, size, knot.publish);
        await sleep(1100);
        proxy.arrivals.length = 0;
        const environment = { ...cell.environment, DNS_SERVERS: knot.address };
        const api = await spawnPostern("api", environment);
        const worker = await spawnPostern("worker", environment);
        const loops = startLoops(api.url, (await aLogin(cell.db, cell.loginDeps)).accessToken);
        await sleep(isFull ? 15_000 : 3_000);
        const { accessToken } = await aLogin(cell.db, cell.loginDeps);
        const seconds = await registerAndWait({ api, accessToken, publish: knot.publish, isFull }, progress);
        const answers = await loops.stop();
        await stopAll([worker, api]);
        return evaluate({ size, seconds, answers, isFull }, proxy);
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
  answers: Map<number, number>;
  isFull: boolean;
}

function evaluate({ size, seconds, answers, isFull }: Outcome, proxy: CountingProxy): Finding {
  const most = mostInASecond(proxy.arrivals);
  const time = seconds === undefined ? `not within ${withinSeconds} s` : `after ${seconds.toFixed(1)} s`;
  const answered = [...answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  return {
    figure:
      `${parallelLoops} loops of one account (${answered}) and ${size} pending domains of another: a new domain was Success ` +
      `${time}; at most ${most} SES control requests in any second (${proxy.arrivals.length} in all)`,
    // Other tests can stall the machine of a small run.
    holds: seconds !== undefined && (!isFull || (most <= 1 && proxy.throttled() === 0)),
  };
}

async function setSpacing(db: Database, seconds: number): Promise<void> {
  await db.query({
    name: "set-spacing",
    text: "update control_budget set spacing = make_interval(secs => $1)",
    values: [seconds],
  });
}

/** Domains whose TXT record is published and whose DKIM records are not: each check of them asks SES. */
async function insertWaitingForDkim(
  db: Database,
  size: number,
  publish: (name: string, ...records: string[]) => Promise<void>,
): Promise<void> {
  const accountId = await anAccount(db);
  await db.query({
    name: "insert-waiting",
    text: `
      insert into domains (account_id, domain_name, challenge_token, configuration_set_name, identity_arn, dkim_tokens,
        dkim_zone, registered_at, next_check_at)
      select $1, 'waiting-' || n || '.io', 'token-' || n, $3, 'arn:aws:ses:waiting', array['a' || n, 'b' || n, 'c' || n],
        'dkim.amazonses.com', now(), now()
      from generate_series(1, $2::int) as n`,
    values: [accountId, size, testConfigurationSet],
  });
  for (const domain of await listDomains(db.forAccount(accountId))) {
    const txt = dnsRecordsOf(domain).find(({ type }) => type === "TXT");
    if (txt !== undefined) await publish(txt.name, `TXT "${txt.value}"`);
  }
}

/** Ignores Retry-After, as a faulty client does. */
function startLoops(url: string, accessToken: string) {
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
  const answers = new Map<number, number>();
  let isStopping = false;
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/api/v1/domains${path}`, init);
    answers.set(response.status, (answers.get(response.status) ?? 0) + 1);
    // The route tests check that the API returns this published shape.
    return (await response.json()) as { domain_id?: number };
  };
  const loop = async () => {
    while (!isStopping) {
      const { domain_id: id } = await call("POST", "", { domain_name: `loop-${randomBytes(5).toString("hex")}.io` });
      if (id === undefined) await sleep(200);
      else await call("DELETE", `/${id}`);
    }
  };
  const running = Promise.all(Array.from({ length: parallelLoops }, loop));
  return {
    stop: async () => {
      isStopping = true;
      await running;
      return answers;
    },
  };
}
