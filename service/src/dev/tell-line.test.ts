import { expect, test } from "vitest";
import { tellLine } from "./tell-line.ts";

test("a warning is told with its facts and the reason of its error, in one line", () => {
  const line =
    '{"level":"warn","time":"2026-11-15T09:00:00Z","send_id":"s1","tries":2,"err":{"message":"no answer","stack":["x"]},"event":"delivery.failed"}';
  expect(tellLine("worker", line)).toEqual({
    part: "worker",
    text: "warn: delivery.failed send_id=s1 tries=2 no answer",
  });
});

test("what is only for the record is not told, what is no log line is told as it is", () => {
  expect(tellLine("api", '{"level":"info","event":"request.answered"}')).toBeUndefined();
  expect(tellLine("api", "")).toBeUndefined();
  expect(tellLine("api", "Error: it broke")).toEqual({ part: "api", text: "Error: it broke" });
});
