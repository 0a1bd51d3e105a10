import { setTimeout as pause } from "node:timers/promises";
import type { Account } from "./account.ts";
import type { Answer } from "./client.ts";
import { createWindows } from "./send-pace.ts";

/** A window was filled, one more was asked for, and one again when the oldest had left it. */
interface Filled {
  refused: Answer;
  /** From before the first request in the window to after the refused one. */
  tookSeconds: number;
  accepted: Answer;
}

export interface LimitRun {
  /** Four requests at once. */
  burst: Answer[];
  /** Those that were within every limit; each must be accepted. */
  permitted: Answer[];
  second: Pick<Filled, "accepted">;
  tenSeconds: Filled;
  /** Also what met the full minute with another key of the account, and with one of its other mode. */
  minute: Filled & { byOtherKey: Answer; inLiveMode: Answer };
}

const maxTries = 3;

/** A window that could not be filled while it lasted shows nothing; a machine that was busy may be quicker next time. */
export async function runLimits(account: Account): Promise<LimitRun> {
  for (let tries = 1; ; tries++) {
    const run = await fillWindows(account);
    const isInTime = run.tenSeconds.tookSeconds < 10 && run.minute.tookSeconds < 60;
    if (isInTime || tries === maxTries) return run;
    await pause(61_000);
  }
}

/** One schedule that fills each of the three windows while the others have room. It takes a little more than a minute. */
async function fillWindows(account: Account): Promise<LimitRun> {
  const [key, liveKey] = [await account.keyOf.test(), await account.keyOf.live()];
  const otherKey = (await account.createKey({ name: "acceptance second", type: "test" })).body?.key;
  const windows = createWindows();
  const permitted: Answer[] = [];
  const send = (credential = key) =>
    account.ask("POST", "/api/v1/send", {
      headers: { "x-api-key": credential },
      body: { from: "acceptance@sandbox.test", to: ["delivered@sandbox.test"], subject: "Limits", text: "Hello." },
    });
  const sendPermitted = async () => {
    const answer = await send();
    windows.note();
    permitted.push(answer);
    return answer;
  };
  const fillUpTo = async (count: number) => {
    while (3 + permitted.length < count) {
      await windows.untilFree();
      await sendPermitted();
    }
  };

  const begunAt = performance.now();
  const burst = await Promise.all([send(), send(), send(), send()]);
  const burstAt = performance.now();
  for (let counted = 0; counted < 3; counted++) windows.note();
  await windows.untilFree();
  const afterSecond = await sendPermitted();

  await fillUpTo(20);
  await windows.untilFree(1);
  const twentyFirst = await send();
  const tenSeconds = { refused: twentyFirst, tookSeconds: secondsSince(begunAt) };
  await untilPassed(burstAt, 10);
  const afterTen = await sendPermitted();

  await fillUpTo(100);
  await windows.untilFree(10);
  const hundredFirst = await send();
  const [byOtherKey, inLiveMode] = [await send(otherKey), await send(liveKey)];
  const minute = { refused: hundredFirst, byOtherKey, inLiveMode, tookSeconds: secondsSince(begunAt) };
  await untilPassed(burstAt, 60);
  const afterMinute = await sendPermitted();
  return {
    burst,
    permitted,
    second: { accepted: afterSecond },
    tenSeconds: { ...tenSeconds, accepted: afterTen },
    minute: { ...minute, accepted: afterMinute },
  };
}

function secondsSince(moment: number): number {
  return (performance.now() - moment) / 1000;
}

async function untilPassed(moment: number, seconds: number): Promise<void> {
  await pause(Math.max(0, (seconds - secondsSince(moment)) * 1000 + 30));
}
