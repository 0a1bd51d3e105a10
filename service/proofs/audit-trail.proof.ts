import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { openDomainFixture } from "../test/domain-fixture.ts";
import { spawnPostern } from "../test/spawn-postern.ts";
import { aSystemAccount, systemSender } from "../test/system-mail-fixture.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { findSecrets } from "./audit/find-secrets.ts";
import {
  type AuditCell,
  checkRequests,
  clearCounts,
  prepareRequests,
  sendRequests,
  whenIdle,
} from "./audit/route-actions.ts";

export const proof: Proof = {
  promise:
    "Every management route and every read of content leaves exactly one audit entry with its action, also when the process is killed in the middle, and no secret",
  covers: [
    "service/migrations",
    "service/proofs/audit",
    "service/test/audited-content.ts",
    "service/test/audited-people.ts",
    "service/test/audited-request.ts",
    "service/test/audited-requests.ts",
    "service/test/audited-sessions.ts",
    "service/test/audited-settings.ts",
    "service/test/audited-totp.ts",
    "service/src/accounts",
    "service/src/api-keys",
    "service/src/api/auth",
    "service/src/api/v1",
    "service/src/audit",
    "service/src/content-views",
    "service/src/domains",
    "service/src/invitations",
    "service/src/logins",
    "service/src/sends/read-content.ts",
    "service/src/suppressions",
  ],
  size: { small: 3, full: 200 },
  run: async (kills, { serverUrl, progress }) => {
    const simulator = await startSesSimulator();
    try {
      return await withSimulatedCell(serverUrl, simulator, async (simulated) => {
        const environment = { ...simulated.environment, SYSTEM_SENDER: systemSender, LOG_LEVEL: "info" };
        const cell: AuditCell = { ...simulated, environment, secrets: new Set() };
        await aSystemAccount(cell.db);
        // Creates the configuration set, without which no domain can be registered.
        await (await openDomainFixture(cell.db, simulated.url, simulator)).locks.close();
        const whole = await runWhole(cell);
        const killed = await runKilled(cell, kills, whole.tookMs, progress);
        const secrets = await findSecrets(cell);
        return {
          figure:
            `${whole.routes} routes: ${whole.wrong} without exactly one entry${whole.refused.map((route) => ` (refused: ${route})`).join("")}; ${killed.kills} kills during ${killed.requests} requests ` +
            `(${killed.unanswered} unanswered, ${killed.done} actions done): ${killed.withoutEntry} actions without an entry, ` +
            `${killed.withoutAction} entries without an action, ${killed.doubled} actions with two; ` +
            `${secrets.found} of ${secrets.tried} secrets in ${secrets.rows} rows and ${secrets.lines} exported lines`,
          holds:
            whole.wrong + killed.withoutEntry + killed.withoutAction + killed.doubled + secrets.found === 0 &&
            killed.kills === kills &&
            killed.unanswered > 0 &&
            killed.done > 0 &&
            secrets.tried > 50 &&
            secrets.lines > 0,
        };
      });
    } finally {
      await simulator.stop();
    }
  },
};

/** Every route once, undisturbed. */
async function runWhole(cell: AuditCell) {
  const api = await spawnPostern("api", cell.environment);
  try {
    const requests = await prepareRequests(cell);
    const { statuses, tookMs } = await sendRequests(cell, api.url, requests);
    // The answer to the request of a password reset does not wait for it.
    await sleep(1_000);
    const tally = await checkRequests(cell, requests);
    const refused = requests.flatMap(({ route }, index) =>
      statuses[index] === 0 || Number(statuses[index]) >= 300 ? [route] : [],
    );
    const notDone = requests.length - tally.done;
    const wrong = Math.max(refused.length, notDone) + tally.withoutEntry + tally.withoutAction + tally.doubled;
    return { routes: requests.length, wrong, refused, tookMs };
  } finally {
    api.kill("SIGKILL");
    await api.exited;
  }
}

/**
 * All routes at once, and a kill at a random moment of the shortest time that they took so far: one in each of as many equal parts as there
 * are kills, so that also a few kills leave both actions done and requests without an answer.
 */
async function runKilled(cell: AuditCell, kills: number, undisturbedMs: number, progress: ProofTools["progress"]) {
  let tookMs = undisturbedMs;
  const sum = { kills: 0, requests: 0, unanswered: 0, done: 0, withoutEntry: 0, withoutAction: 0, doubled: 0 };
  for (let round = 1; round <= kills; round++) {
    const api = await spawnPostern("api", cell.environment);
    await clearCounts(cell.db);
    const requests = await prepareRequests(cell);
    const answers = sendRequests(cell, api.url, requests);
    await sleep((tookMs * (round - randomInt(1_000) / 1_000)) / kills);
    api.kill("SIGKILL");
    await api.exited;
    const { statuses, tookMs: roundMs } = await answers;
    if (!statuses.includes(0)) tookMs = Math.min(tookMs, roundMs);
    await whenIdle(cell.db);
    const tally = await checkRequests(cell, requests);
    sum.kills++;
    sum.requests += requests.length;
    sum.unanswered += statuses.filter((status) => status === 0).length;
    for (const key of ["done", "withoutEntry", "withoutAction", "doubled"] as const) sum[key] += tally[key];
    progress(`killed ${round} of ${kills}: ${sum.done} actions done, ${sum.unanswered} unanswered`);
  }
  return sum;
}
