import { describe, expect, test } from "vitest";
import { refuse, startScriptedServer } from "../test/scripted-server.ts";
import { withoutWaiting } from "../test/without-waiting.ts";
import { connect } from "./connect.ts";
import { PosternError } from "./postern-error.ts";
import { repeatDelay } from "./repeat-delay.ts";

const unavailable = new PosternError({ code: "UNAVAILABLE", message: "", status: 503, requestId: "r" });

describe("pauses", () => {
  test("they double up to 8 seconds, and lie between half and all of that", () => {
    const delays = (random: number) =>
      [1, 2, 3, 4, 5, 6, 7, 20].map((attempts) =>
        repeatDelay(unavailable, { attempts, isRepeatable: true, random: () => random }),
      );
    expect(delays(1)).toEqual([0.25, 0.5, 1, 2, 4, 8, 8, 8]);
    expect(delays(0)).toEqual([0.125, 0.25, 0.5, 1, 2, 4, 4, 4]);
  });
});

describe("Retry-After", () => {
  const limited = (retryAfter: string) => refuse(429, "RATE_LIMIT_EXCEEDED", { retryAfter });
  const account = async (retryAfter: string, random: number, maxWaitSeconds = 60) => {
    const { url, requests } = await startScriptedServer(limited(retryAfter));
    const timing = withoutWaiting(random);
    const ask = connect({ baseUrl: url, apiKey: "k", maxWaitSeconds }, timing);
    const { error } = await ask("GET /api/v1/account", {}, { options: { retries: 2 } });
    return { error, waits: timing.waits, requests };
  };

  test("it is never undercut, and callers do not all come back at the same moment", async () => {
    expect((await account("7", 0)).waits).toEqual([7, 7]);
    expect((await account("7", 1)).waits).toEqual([7.25, 7.5]);
  });

  test("it is told when the call gives up", async () => {
    expect((await account("7", 0)).error).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retryAfter: 7 });
  });

  test("one that is longer than the caller wants to wait ends the call at once", async () => {
    const { error, waits, requests } = await account("61", 0);
    expect({ waits, requests: requests.length }).toEqual({ waits: [], requests: 1 });
    expect(error?.retryAfter).toBe(61);
  });

  test("a date is understood, and nonsense is as if there were none", async () => {
    const { error } = await account(new Date(Date.now() + 3600_000).toUTCString(), 0);
    expect(error?.retryAfter).toBeGreaterThan(3590);
    expect(error?.retryAfter).toBeLessThanOrEqual(3600);
    expect((await account(new Date(0).toUTCString(), 0)).error?.retryAfter).toBe(0);
    expect((await account("soon", 1)).waits).toEqual([0.25, 0.5]);
  });
});
