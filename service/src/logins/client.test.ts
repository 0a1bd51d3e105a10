import { expect, test } from "vitest";
import { addressOf, deviceOf } from "./client.ts";

test.for([
  ["Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (X11; Linux x86_64)"],
  ["a\u0000b\u001b[31mc\u202ed\u2028e", "a b [31mc d e"],
  ["  \u0007 ", null],
  ["", null],
  ["\u{1f600}".repeat(300), "\u{1f600}".repeat(200)],
] as const)("the device of %j is %j: no control characters and at most 200 characters", ([userAgent, device]) => {
  expect(deviceOf({ address: "192.0.2.1", userAgent })).toBe(device);
});

test.for([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["fe80::1%eth0", "fe80::1"],
  ["2001:db8::1", "2001:db8::1"],
  ["unknown", null],
  ["'; drop table logins", null],
] as const)("the address %j is shown as %j", ([address, shown]) => {
  expect(addressOf({ address })).toBe(shown);
});
