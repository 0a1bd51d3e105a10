import { describe, expect, test } from "vitest";
import { refuse, startScriptedServer } from "../test/scripted-server.ts";
import { withoutWaiting } from "../test/without-waiting.ts";
import { connect } from "./connect.ts";
import { PosternError } from "./postern-error.ts";
import { retryDelay } from "./retry-delay.ts";

const unavailable = new PosternError({ code: "UNAVAILABLE", message: "", status: 503, requestId: "r" });

describe("the pause before a retry", () => {
  test("doubles up to 8 seconds, with jitter between half and all of it", () => {
    const delays = (random: number) =>
      [1, 2, 3, 4, 5, 6, 7, 20].map((attempts) =>
        retryDelay(unavailable, { attempts, isSafeToRetry: true, random: () => random }),
      );
    expect(delays(1)).toEqual([0.25, 0.5, 1, 2, 4, 8, 8, 8]);
    expect(delays(0)).toEqual([0.125, 0.25, 0.5, 1, 2, 4, 4, 4]);
  });
});

describe("Retry-After", () => {
  const limited = (retryAfter: string) => refuse(429, "RATE_LIMIT_EXCEEDED", { retryAfter });
  const getAccount = async (retryAfter: string, random: number, maxWaitSeconds = 60) => {
    const { url, requests } = await startScriptedServer(limited(retryAfter));
    const timing = withoutWaiting(random);
    const request = connect({ baseUrl: url, apiKey: "k", maxWaitSeconds }, timing);
    const { error } = await request("GET /api/v1/account", {}, { options: { retries: 2 } });
    return { error, waits: timing.waits, requests };
  };

  test("the client waits at least that long, plus a jitter that spreads the retries", async () => {
    expect((await getAccount("7", 0)).waits).toEqual([7, 7]);
    expect((await getAccount("7", 1)).waits).toEqual([7.25, 7.5]);
  });

  test("the final error contains it", async () => {
    expect((await getAccount("7", 0)).error).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retryAfter: 7 });
  });

  test("a value above maxWaitSeconds ends the call without a retry", async () => {
    const { error, waits, requests } = await getAccount("61", 0);
    expect({ waits, requests: requests.length }).toEqual({ waits: [], requests: 1 });
    expect(error?.retryAfter).toBe(61);
  });

  test("the client parses a date and ignores an invalid value", async () => {
    const { error } = await getAccount(new Date(Date.now() + 3600_000).toUTCString(), 0);
    expect(error?.retryAfter).toBeGreaterThan(3590);
    expect(error?.retryAfter).toBeLessThanOrEqual(3600);
    expect((await getAccount(new Date(0).toUTCString(), 0)).error?.retryAfter).toBe(0);
    expect((await getAccount("soon", 1)).waits).toEqual([0.25, 0.5]);
  });
});
