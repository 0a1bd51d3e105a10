import { expect, test } from "vitest";
import { describeRecognised, recogniseSearch } from "./recognise-search.ts";

const id = "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4";

test.for([
  ["jane@whitaker.example", "recipient", "jane@whitaker.example"],
  ["  Jane.Doe+x@Whitaker.example ", "recipient", "Jane.Doe+x@Whitaker.example"],
  ["Jane Doe <jane@whitaker.example>", "recipient", "jane@whitaker.example"],
  ["<jane@whitaker.example>,", "recipient", "jane@whitaker.example"],
  ["mailto:jane@whitaker.example", "recipient", "jane@whitaker.example"],
  ["to:jane@whitaker.example", "recipient", "jane@whitaker.example"],
  ["jane@bücher.example", "recipient", "jane@bücher.example"],
  ["bounced", "status", "bounced"],
  ["Delivered", "status", "delivered"],
  ["status:failed", "status", "failed"],
  ["is: queued", "status", "queued"],
  ["fernhill.example", "domain", "fernhill.example"],
  ["@fernhill.example", "domain", "fernhill.example"],
  ["domain:mail.fernhill.example", "domain", "mail.fernhill.example"],
  ["from:orders@fernhill.example", "domain", "fernhill.example"],
  [
    "0102019a8c41e7b2-6d0f41c7-2b1e-4d57-9a11-000000",
    "provider_message_id",
    "0102019a8c41e7b2-6d0f41c7-2b1e-4d57-9a11-000000",
  ],
  ["ses:anything", "provider_message_id", "anything"],
  ["tag: receipt.eu", "tag", "receipt.eu"],
] as const)("%s filters by %s", ([text, name, value]) => {
  const recognised = recogniseSearch(text);
  expect(recognised).toEqual({ kind: "filter", name, value });
  expect(describeRecognised(recognised)).toMatch(/^Enter /);
});

test("a send id opens the send, in any case", () => {
  expect(recogniseSearch(id.toUpperCase())).toEqual({ kind: "send", id });
});

test("a day is one of the shown zone", () => {
  expect(recogniseSearch("since:2026-11-01")).toEqual({
    kind: "filter",
    name: "since",
    value: new Date(2026, 10, 1).toISOString(),
  });
});

test.for(["", "hello", "status:lost", "to:jane", "since:yesterday", "jane@", "a b@c.example", "662E41"])(
  "%s is nothing that can be searched",
  (text) => {
    expect(recogniseSearch(text)).toEqual({ kind: "nothing" });
  },
);
