import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";

test("changes of one turn share one write", async () => {
  const commit = new GroupCommit();
  let writes = 0;
  commit.join(() => writes++);
  for (let request = 0; request < 50; request++) commit.changed();
  await Promise.all(Array.from({ length: 50 }, () => commit.written()));
  expect(writes).toBe(1);
});

test("nobody is told that a change is written before it is", async () => {
  const commit = new GroupCommit();
  const order: string[] = [];
  commit.join(() => order.push("write"));
  commit.changed();
  await commit.written();
  order.push("answer");
  expect(order).toEqual(["write", "answer"]);
});

test("writers write in the order they joined", async () => {
  const commit = new GroupCommit();
  const order: string[] = [];
  commit.join(() => order.push("ledger"));
  commit.join(() => order.push("state"));
  commit.changed();
  await commit.written();
  expect(order).toEqual(["ledger", "state"]);
});

test("after a failed write nothing is confirmed any more, because memory is ahead of the disk", async () => {
  const commit = new GroupCommit();
  let fails = true;
  commit.join(() => {
    if (fails) throw new Error("disk full");
  });
  commit.changed();
  await expect(commit.written()).rejects.toThrow(/no longer write/);
  fails = false;
  commit.changed();
  await expect(commit.written()).rejects.toThrow(/no longer write/);
});
