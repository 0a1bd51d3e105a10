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

test("what was written is there after the process died without closing anything", async () => {
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

test("all changes of one turn are one line, so a turn is there as a whole or not at all", async () => {
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
  // Wherever a kill cuts the last write, the first turn is complete and the second one absent.
  for (let length = first.length + 1; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    const cut = open(folder);
    expect([...cut.names.keys(), ...cut.counts.keys()]).toEqual(["a", "a"]);
    cut.maps.close();
  }
});

test("a torn last line is cut off, and what is written after it is read again", async () => {
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

test("a damaged line in the middle stops the start and says where it is", () => {
  const folder = aFolder();
  writeFileSync(join(folder, "state.ndjson"), '[["names","a","Anna"]]\nnonsense\n[["names","b","Bert"]]\n');
  expect(() => open(folder)).toThrow(/damaged at byte 23/);
});

test("the file is written anew when little of it is alive, and loses nothing by it", async () => {
  const folder = aFolder();
  const { names, counts, commit } = open(folder);
  const path = join(folder, "state.ndjson");
  const large = "x".repeat(1_000_000);
  let largest = 0;
  for (let turn = 0; turn < 40; turn++) {
    names.set("changing", `${turn}${large}`);
    counts.set(`kept-${turn}`, turn);
    await commit.written();
    largest = Math.max(largest, statSync(path).size);
  }
  expect(largest).toBeLessThan(20_000_000);
  expect(existsSync(`${path}.next`)).toBe(false);
  const again = open(folder);
  expect(again.counts.size).toBe(40);
  expect(again.names.get("changing")).toBe(`39${large}`);
});

test("what a rewrite left that a kill interrupted never comes back", async () => {
  const folder = aFolder();
  writeFileSync(join(folder, "state.ndjson.next"), '[["names","half","Half"]]\n');
  const { names, commit } = open(folder);
  expect(names.size).toBe(0);
  for (let turn = 0; turn < 20; turn++) {
    names.set("a", `${turn}${"x".repeat(1_000_000)}`);
    await commit.written();
  }
  expect([...open(folder).names.keys()]).toEqual(["a"]);
});
