import { setTimeout as sleep } from "node:timers/promises";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { ApiServer } from "../src/api/http/api-server.ts";
import type { Database } from "../src/db/database.ts";
import { aUser } from "../test/builders.ts";
import { withTestApis } from "../test/with-test-apis.ts";
import { seededRandom } from "./seeded-random.ts";
import { type Browser, isOpen, openBrowser, origin } from "./tabs/browser.ts";
import { type FasterClock, startFasterClock } from "./tabs/faster-clock.ts";
import { findSwitchSurvivors } from "./tabs/switch-thefts.ts";
import { findSurvivors } from "./tabs/thefts.ts";

const tabCount = 20;
const fullSize = 600;
/** In seconds of the faster clock. With three lost responses in a row, a new token arrives within the 30 s of ADR 0012. */
const maxPause = 30;
const maxDelay = 15;
const maxRetryPause = 3;
const maxLostInARow = 3;
const lostShare = 0.05;
/** The browser is busy, then quiet, so that a cookie which an overtaken response set is presented late; then all tabs wake at once. */
const [cycle, busy] = [150, 100];

export const proof: Proof = {
  promise: "Tabs that share a browser session never log each other out, and a stolen refresh token ends the session",
  covers: [
    "service/migrations/0039_sessions.sql",
    "service/proofs/tabs",
    "service/src/api/v1/auth",
    "service/src/logins/refresh-login.ts",
    "service/src/logins/refresh-token-store.ts",
    "service/src/logins/refresh-token.ts",
    "service/src/logins/switch-account.ts",
    "service/src/logins/switch-store.ts",
  ],
  size: { small: 12, full: fullSize },
  run: (seconds, { serverUrl, progress }) =>
    withTestApis(
      serverUrl,
      { one: { PUBLIC_URL: origin }, other: { PUBLIC_URL: origin } },
      async ({ db, apis: { one, other } }) => {
        const tabs = await runTabs(db, [one.app, other.app], seconds, progress);
        const thefts = await findSurvivors(db, one.app);
        const switches = await findSwitchSurvivors(db, one.app);
        const { refreshes, replaced, overtaken, lost, logOuts } = tabs;
        return {
          figure:
            `${tabCount} tabs in ${tabs.clockSeconds} s of a clock that ran faster for ${seconds} s: ${refreshes} refreshes, ` +
            `${replaced} new cookies, ${overtaken} of them overtaken by a later refresh, ${lost} responses lost, ${logOuts} log-outs; ` +
            `${thefts.survived.length} of ${thefts.tried} sessions survived the use of a stolen token` +
            thefts.survived.map((name) => ` [${name}]`).join("") +
            `; ${switches.survived.length} of ${switches.tried} stolen access tokens became a login that outlived the owner's` +
            switches.survived.map((name) => ` [${name}]`).join(""),
          holds:
            logOuts === 0 &&
            replaced > 5 &&
            overtaken > 0 &&
            lost > 0 &&
            thefts.survived.length + switches.survived.length === 0,
        };
      },
    ),
};

interface Counts {
  refreshes: number;
  replaced: number;
  overtaken: number;
  lost: number;
  logOuts: number;
}

async function runTabs(db: Database, apps: ApiServer[], seconds: number, progress: ProofTools["progress"]) {
  const [first] = apps;
  if (first === undefined) throw new Error("the proof needs an API");
  const { browser } = await openBrowser(first, await aUser(db));
  const counts: Counts = { refreshes: 0, replaced: 0, overtaken: 0, lost: 0, logOuts: 0 };
  const clock = startFasterClock(db);
  let isRunning = true;
  const tabs = Array.from({ length: tabCount }, (_, number) =>
    runTab({ browser, apps, clock, counts, number, isRunning: () => isRunning }),
  );
  for (let second = 0; second < seconds; second++) {
    await sleep(1000);
    progress(`${second + 1} of ${seconds} s: ${counts.refreshes} refreshes, ${counts.logOuts} log-outs`);
  }
  isRunning = false;
  const clockSeconds = clock.seconds();
  await clock.stop();
  await Promise.all(tabs);
  return { ...counts, clockSeconds };
}

interface Tab {
  browser: Browser;
  apps: ApiServer[];
  clock: FasterClock;
  counts: Counts;
  number: number;
  isRunning: () => boolean;
}

/** Refreshes again and again. Responses arrive late, out of order or not at all. */
async function runTab({ browser, apps, clock, counts, number, isRunning }: Tab): Promise<void> {
  const random = seededRandom(number + 1);
  let [started, lostInARow] = [0, 0];
  while (isRunning()) {
    const pause = 1 + Math.floor(random() * (lostInARow === 0 ? maxPause : maxRetryPause));
    const inCycle = clock.seconds() % cycle;
    await clock.sleep(lostInARow > 0 || inCycle + pause < busy ? pause : cycle - inCycle);
    const app = apps[started++ % apps.length] ?? apps[0];
    if (app === undefined || !isRunning()) return;
    const isLost = random() < lostShare && lostInARow < maxLostInARow;
    lostInARow = isLost ? lostInARow + 1 : 0;
    await refreshOnce({ browser, clock, counts, random, app, isLost });
  }
}

interface Refresh extends Pick<Tab, "browser" | "clock" | "counts"> {
  random: () => number;
  app: ApiServer;
  isLost: boolean;
}

async function refreshOnce({ browser, clock, counts, random, app, isLost }: Refresh): Promise<void> {
  const sent = browser.cookie;
  const response = await browser.refresh(app);
  counts.refreshes++;
  if (response.status !== 200) counts.logOuts++;
  if (response.status === 200 && random() < 0.05 && !(await isOpen(app, response.accessToken))) counts.logOuts++;
  if (response.setsCookie) counts.replaced++;
  if (isLost) {
    counts.lost++;
    return;
  }
  // Most responses are quick; some take as long as possible.
  await clock.sleep(Math.floor(random() ** 3 * maxDelay));
  if (response.setsCookie && browser.cookie !== sent) counts.overtaken++;
  response.arrive();
}
