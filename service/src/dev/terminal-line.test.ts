import { expect, test } from "vitest";
import { toTerminalLine } from "./terminal-line.ts";

test("a warning is shown in one line, with its fields and the message of its error", () => {
  const line =
    '{"level":"warn","time":"2026-11-15T09:00:00Z","send_id":"s1","tries":2,"err":{"message":"no answer","stack":["x"]},"event":"delivery.failed"}';
  expect(toTerminalLine("worker", line)).toEqual({
    processName: "worker",
    text: "warn: delivery.failed send_id=s1 tries=2 no answer",
  });
});

test("an info line is not shown, and a line that is not JSON is shown unchanged", () => {
  expect(toTerminalLine("api", '{"level":"info","event":"request.completed"}')).toBeUndefined();
  expect(toTerminalLine("api", "")).toBeUndefined();
  expect(toTerminalLine("api", "Error: it broke")).toEqual({ processName: "api", text: "Error: it broke" });
});
