import { setTimeout as pause } from "node:timers/promises";
import type { Account } from "./account.ts";
import type { Answer } from "./client.ts";
import { createRateWindows } from "./rate-limiter.ts";

/** A full window: one request above the limit, and one after the oldest request has left the window. */
interface FilledWindow {
  refused: Answer;
  /** From before the first request in the window to after the refused one. */
  tookSeconds: number;
  accepted: Answer;
}

export interface RateLimitRun {
  /** Four concurrent requests. */
  burst: Answer[];
  /** The answers to requests within every limit. The API must accept all of them. */
  permitted: Answer[];
  second: Pick<FilledWindow, "accepted">;
  tenSeconds: FilledWindow;
  /** While the minute is full, the run also sends with another key of the account and with a key of the other mode. */
  minute: FilledWindow & { byOtherKey: Answer; inLiveMode: Answer };
}

const maxTries = 3;

/** Retries when the deployment was too slow to fill a window in time, because a slow run checks nothing. */
export async function runRateLimits(account: Account): Promise<RateLimitRun> {
  for (let tries = 1; ; tries++) {
    const run = await fillWindows(account);
    const isInTime = run.tenSeconds.tookSeconds < 10 && run.minute.tookSeconds < 60;
    if (isInTime || tries === maxTries) return run;
    await pause(61_000);
  }
}

/** Fills each of the three windows while the other two have capacity. Takes a little more than a minute. */
async function fillWindows(account: Account): Promise<RateLimitRun> {
  const [key, liveKey] = [await account.keyOf.test(), await account.keyOf.live()];
  const otherKey = (await account.createKey({ name: "acceptance second", type: "test" })).body?.key;
  const rateWindows = createRateWindows();
  const permitted: Answer[] = [];
  const send = (credential = key) =>
    account.request("POST", "/api/v1/send", {
      headers: { "x-api-key": credential },
      body: { from: "acceptance@sandbox.test", to: ["delivered@sandbox.test"], subject: "Limits", text: "Hello." },
    });
  const sendPermitted = async () => {
    const answer = await send();
    rateWindows.countRequest();
    permitted.push(answer);
    return answer;
  };
  const fillUpTo = async (count: number) => {
    while (3 + permitted.length < count) {
      await rateWindows.waitForCapacity();
      await sendPermitted();
    }
  };

  const startedAt = performance.now();
  const burst = await Promise.all([send(), send(), send(), send()]);
  const burstAt = performance.now();
  for (let counted = 0; counted < 3; counted++) rateWindows.countRequest();
  await rateWindows.waitForCapacity();
  const afterSecond = await sendPermitted();

  await fillUpTo(20);
  await rateWindows.waitForCapacity(1);
  const twentyFirst = await send();
  const tenSeconds = { refused: twentyFirst, tookSeconds: secondsSince(startedAt) };
  await waitUntil(burstAt, 10);
  const afterTen = await sendPermitted();

  await fillUpTo(100);
  await rateWindows.waitForCapacity(10);
  const hundredFirst = await send();
  const [byOtherKey, inLiveMode] = [await send(otherKey), await send(liveKey)];
  const minute = { refused: hundredFirst, byOtherKey, inLiveMode, tookSeconds: secondsSince(startedAt) };
  await waitUntil(burstAt, 60);
  const afterMinute = await sendPermitted();
  return {
    burst,
    permitted,
    second: { accepted: afterSecond },
    tenSeconds: { ...tenSeconds, accepted: afterTen },
    minute: { ...minute, accepted: afterMinute },
  };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

async function waitUntil(start: number, seconds: number): Promise<void> {
  await pause(Math.max(0, (seconds - secondsSince(start)) * 1000 + 30));
}
