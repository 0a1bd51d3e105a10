import { expect, test, vi } from "vitest";
import { aligned, amountText, countText, durationText, say, timeText } from "./plain-text.ts";

test.for([
  [0.9, "0 s"],
  [59, "59 s"],
  [185, "3 min 5 s"],
  [720, "12 min"],
  [18_725, "5 h 12 min"],
  [300_000, "3 days"],
  [-3, "0 s"],
] as const)("%d seconds are shown as %s", ([seconds, text]) => {
  expect(durationText(seconds)).toBe(text);
});

test("counts have thousands separators, and a plus when they reached their limit", () => {
  expect([countText(1_204), countText(100_000, 100_000), countText(99, 100)]).toEqual(["1,204", "100,000+", "99"]);
  expect([amountText(1, "send"), amountText(2_000, "send")]).toEqual(["1 send", "2,000 sends"]);
});

test("columns are aligned, and no line ends with spaces", () => {
  const rows = [
    ["ready", "1,204", "oldest"],
    ["in doubt", "3", ""],
  ];
  expect(aligned(rows, { indent: "  ", right: [1] })).toBe("  ready     1,204  oldest\n  in doubt      3");
});

test("times are shown to the second in UTC", () => {
  expect(timeText("2026-11-15T07:08:09.123Z")).toBe("2026-11-15 07:08:09 UTC");
});

test("printed text cannot control the terminal", () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  say("one\n\u001b[2Jtwo\u009b");
  const said = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect(said).toEqual(["one\n\u{fffd}[2Jtwo\u{fffd}\n"]);
});
