import { expect, test } from "vitest";
import { processLook } from "./process-look.ts";

const alive = {
  condition: "alive",
  replaced: false,
  claims_failing_seconds: null,
  chores_failing_seconds: null,
} as Parameters<typeof processLook>[0];

test.for<[string, Partial<typeof alive>]>([
  ["Alive", {}],
  ["Claims fail, 12\u00a0s", { claims_failing_seconds: 12, chores_failing_seconds: 3 }],
  ["Chores fail, 12\u00a0s", { chores_failing_seconds: 12 }],
  ["Stopped", { condition: "stopped" }],
  ["Crashed or frozen", { condition: "vanished" }],
  ["Crashed, replaced", { condition: "vanished", replaced: true }],
])("a process is shown as %j", ([word, facts]) => {
  expect(processLook({ ...alive, ...facts }).word).toBe(word);
});
