import { expect, test } from "vitest";
import { countMail, type ReceivedMail } from "./count-mail.ts";

const send = (key: string, id?: string) => ({ key, recipient: `${key}@example.io`, ...(id !== undefined && { id }) });

function mails(...of: [key: string, cell: ReceivedMail["cell"]][]): Map<string, ReceivedMail[]> {
  const found = new Map<string, ReceivedMail[]>();
  for (const [index, [key, cell]] of of.entries()) {
    const recipient = `${key}@example.io`;
    const mail = { cell, recipient, messageId: String(index), acceptedAt: "2026-01-01T00:00:00Z" };
    found.set(recipient, [...(found.get(recipient) ?? []), mail]);
  }
  return found;
}

test("each accepted send with one mail in either cell counts as neither lost nor doubled", () => {
  const counts = countMail([send("a", "1"), send("b", "2")], mails(["a", "source"], ["b", "target"]));
  expect(counts).toEqual({ lost: [], doubled: [], inTarget: 1 });
});

test("an accepted send without a mail is lost; one that was refused is not", () => {
  expect(countMail([send("a", "1"), send("b")], mails()).lost).toEqual([send("a", "1")]);
});

test.for([
  ["source", "target"],
  ["target", "target"],
] as const)("a send with a mail in %s and %s is doubled, accepted or not", (cells) => {
  const found = mails(["a", cells[0]], ["a", cells[1]]);
  expect(countMail([send("a")], found).doubled).toEqual([send("a")]);
});
