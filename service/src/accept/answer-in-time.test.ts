import { expect, onTestFinished, test, vi } from "vitest";
import { answerInTime } from "./answer-in-time.ts";

test("a query that takes longer than a second is answered with 503, and its late failure is ignored", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const query = Promise.withResolvers<string>();
  const answer = expect(answerInTime(query.promise)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    retryAfterSeconds: 1,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await answer;
  query.reject(new Error("connection terminated"));
  await vi.advanceTimersByTimeAsync(0);
});

test("the result or the error of a quick query is passed on", async () => {
  expect(await answerInTime(Promise.resolve("found"))).toBe("found");
  await expect(answerInTime(Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
});
