import { expect, test } from "vitest";
import { describeDevice } from "./describe-device.ts";

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0";
const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const edge = `${chrome} Edg/156.0.0.0`;
const safari =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1";

test.for([
  [firefox, "Firefox on Windows"],
  [chrome, "Chrome on Linux"],
  [edge, "Edge on Linux"],
  [safari, "Safari on iOS"],
  ["curl/8.9", "curl/8.9"],
  [null, "Unknown device"],
] as const)("%s is %s", ([userAgent, text]) => {
  expect(describeDevice(userAgent)).toBe(text);
});
