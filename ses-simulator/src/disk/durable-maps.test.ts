import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { DurableMaps } from "./durable-maps.ts";
import { GroupCommit } from "./group-commit.ts";

function open(folder: string) {
  const commit = new GroupCommit();
  const maps = new DurableMaps(folder, commit);
  return { commit, maps, names: maps.map<string>("names"), counts: maps.map<number>("counts") };
}

test("a new process finds all written values after the old one ended without closing the file", async () => {
  const folder = aFolder();
  const { names, counts, commit } = open(folder);
  names.set("a", "Anna");
  names.set("b", "Bert");
  counts.set("a", 1);
  await commit.written();
  names.delete("b");
  counts.set("a", 2);
  await commit.written();
  const again = open(folder);
  expect([...again.names.keys()]).toEqual(["a"]);
  expect(again.counts.get("a")).toBe(2);
});

test("a commit is atomic: a truncated file holds all of its changes or none", async () => {
  const folder = aFolder();
  const { names, counts, commit } = open(folder);
  names.set("a", "Anna");
  counts.set("a", 1);
  await commit.written();
  names.set("b", "Bert");
  counts.set("b", 2);
  await commit.written();
  const path = join(folder, "state.ndjson");
  const whole = readFileSync(path);
  const [first = ""] = whole.toString().split("\n");
  // At any length of the truncated file, the first commit is complete and the second is absent.
  for (let length = first.length + 1; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    const cut = open(folder);
    expect([...cut.names.keys(), ...cut.counts.keys()]).toEqual(["a", "a"]);
    cut.maps.close();
  }
});

test("opening the file removes an incomplete last line and keeps the lines written after it", async () => {
  const folder = aFolder();
  const { names, commit } = open(folder);
  names.set("a", "Anna");
  await commit.written();
  appendFileSync(join(folder, "state.ndjson"), '[["names","torn","To');
  const second = open(folder);
  second.names.set("b", "Bert");
  await second.commit.written();
  expect([...open(folder).names.keys()]).toEqual(["a", "b"]);
});

test("a damaged line in the middle stops the start with an error that names its position", () => {
  const folder = aFolder();
  writeFileSync(join(folder, "state.ndjson"), '[["names","a","Anna"]]\nnonsense\n[["names","b","Bert"]]\n');
  expect(() => open(folder)).toThrow(/damaged at byte 23/);
});

test("compaction limits the size of the file and loses no value", async () => {
  const folder = aFolder();
  const { names, counts, commit } = open(folder);
  const path = join(folder, "state.ndjson");
  const large = "x".repeat(1_000_000);
  let largest = 0;
  for (let round = 0; round < 40; round++) {
    names.set("changing", `${round}${large}`);
    counts.set(`kept-${round}`, round);
    await commit.written();
    largest = Math.max(largest, statSync(path).size);
  }
  expect(largest).toBeLessThan(20_000_000);
  expect(existsSync(`${path}.next`)).toBe(false);
  const again = open(folder);
  expect(again.counts.size).toBe(40);
  expect(again.names.get("changing")).toBe(`39${large}`);
});

test("the next start ignores the file of a compaction that a kill interrupted", async () => {
  const folder = aFolder();
  writeFileSync(join(folder, "state.ndjson.next"), '[["names","half","Half"]]\n');
  const { names, commit } = open(folder);
  expect(names.size).toBe(0);
  for (let round = 0; round < 20; round++) {
    names.set("a", `${round}${"x".repeat(1_000_000)}`);
    await commit.written();
  }
  expect([...open(folder).names.keys()]).toEqual(["a"]);
});
