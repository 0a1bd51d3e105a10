import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";

test("all changes of one event-loop iteration share one write", async () => {
  const commit = new GroupCommit();
  let writes = 0;
  commit.addWriter(() => writes++);
  for (let request = 0; request < 50; request++) commit.requestWrite();
  await Promise.all(Array.from({ length: 50 }, () => commit.written()));
  expect(writes).toBe(1);
});

test("the commit confirms a change only after the write", async () => {
  const commit = new GroupCommit();
  const order: string[] = [];
  commit.addWriter(() => order.push("write"));
  commit.requestWrite();
  await commit.written();
  order.push("answer");
  expect(order).toEqual(["write", "answer"]);
});

test("the commit calls the writers in the order they were added", async () => {
  const commit = new GroupCommit();
  const order: string[] = [];
  commit.addWriter(() => order.push("ledger"));
  commit.addWriter(() => order.push("state"));
  commit.requestWrite();
  await commit.written();
  expect(order).toEqual(["ledger", "state"]);
});

test("after a failed write the commit confirms no further change, because memory is ahead of the disk", async () => {
  const commit = new GroupCommit();
  let fails = true;
  commit.addWriter(() => {
    if (fails) throw new Error("disk full");
  });
  commit.requestWrite();
  await expect(commit.written()).rejects.toThrow(/no longer write/);
  fails = false;
  commit.requestWrite();
  await expect(commit.written()).rejects.toThrow(/no longer write/);
});
