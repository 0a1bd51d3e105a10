import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseInline, parseRunbook } from "./parse-runbook.ts";

test("headings, paragraphs, lists, tables and code are distinguished", () => {
  const text = [
    "## SES paused, or the quota used up",
    "",
    "Two lines",
    "of text.",
    "",
    "1. First",
    "   goes on",
    "2. Second",
    "",
    "| Hold | Do |",
    "|---|---|",
    "| a \\| b | wait |",
    "",
    "```console",
    "$ one",
    "",
    "$ two",
    "```",
  ].join("\n");
  expect(parseRunbook(text)).toEqual([
    {
      kind: "heading",
      level: 2,
      id: "ses-paused-or-the-quota-used-up",
      text: "SES paused, or the quota used up",
    },
    { kind: "paragraph", text: "Two lines of text." },
    { kind: "list", ordered: true, items: ["First goes on", "Second"] },
    { kind: "table", head: ["Hold", "Do"], rows: [["a | b", "wait"]] },
    { kind: "code", text: "$ one\n\n$ two" },
  ]);
});

test("code, bold text and links are found inside a line; only anchors of the page are links", () => {
  expect(parseInline("Run `postern status` **now**, see [below](#a-flood) or [storage](storage.md).")).toEqual([
    { kind: "text", text: "Run " },
    { kind: "code", text: "postern status" },
    { kind: "text", text: " " },
    { kind: "bold", text: "now" },
    { kind: "text", text: ", see " },
    { kind: "link", text: "below", href: "#a-flood" },
    { kind: "text", text: " or " },
    { kind: "link", text: "storage", href: undefined },
    { kind: "text", text: "." },
  ]);
});

test("every link inside the runbook leads to one of its headings, and every table row has all cells", () => {
  const blocks = parseRunbook(readFileSync(new URL("../../../../../docs/runbook.md", import.meta.url), "utf8"));
  const ids = blocks.flatMap((block) => (block.kind === "heading" ? [`#${block.id}`] : []));
  const texts = blocks.flatMap((block) => {
    if (block.kind === "table") return block.rows.flat();
    if (block.kind === "list") return block.items;
    return block.kind === "paragraph" ? [block.text] : [];
  });
  const links = texts.flatMap(parseInline).flatMap((part) => (part.kind === "link" && part.href ? [part.href] : []));
  expect(links.length).toBeGreaterThan(5);
  expect(ids).toEqual(expect.arrayContaining(links));
  for (const block of blocks) {
    if (block.kind === "table")
      expect(new Set(block.rows.map((row) => row.length))).toEqual(new Set([block.head.length]));
  }
});
