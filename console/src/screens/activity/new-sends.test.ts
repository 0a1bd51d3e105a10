import { expect, test } from "vitest";
import { aSend } from "../send/send-fixture.ts";
import { compareWithNewest } from "./new-sends.ts";

const send = (id: string, status: "queued" | "delivered" = "queued") => aSend({ id, status });

test("new rows are counted and stay out; the shown rows take over their status", () => {
  const shown = [send("c"), send("b"), send("a")];
  const { rows, newCount, isAtLeast } = compareWithNewest(shown, [send("e"), send("d"), send("c", "delivered")]);
  expect(rows.map(({ id, status }) => [id, status])).toEqual([
    ["c", "delivered"],
    ["b", "queued"],
    ["a", "queued"],
  ]);
  expect([newCount, isAtLeast]).toEqual([2, false]);
});

test("a page of only new rows may hide more of them", () => {
  expect(compareWithNewest([send("a")], [send("d"), send("c")])).toMatchObject({ newCount: 2, isAtLeast: true });
});

test("the first row of an empty list appears at once: nothing can jump", () => {
  const { rows, newCount } = compareWithNewest([], [send("a")]);
  expect([rows.map(({ id }) => id), newCount]).toEqual([["a"], 0]);
});

test("a row that left the filter stays until the person asks for new rows", () => {
  expect(compareWithNewest([send("b"), send("a")], [send("a")])).toMatchObject({
    newCount: 0,
    rows: [{ id: "b" }, { id: "a" }],
  });
});
