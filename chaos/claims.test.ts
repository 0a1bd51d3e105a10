import { expect, test } from "vitest";
import { findClaim } from "./claims.ts";
import { readCommandLine } from "./command-line.ts";

test.for([
  { args: "worker-kills", key: "chaos/worker-kills" },
  { args: "network --rate 30", key: "chaos/network" },
  { args: "paused-worker --paused-worker 3", key: "chaos/paused-worker" },
  { args: "--send-events none --policy fail", key: "chaos/worker-kills --send-events none --policy fail" },
])("`npm run chaos -- $args` has its full size and proves $key", ({ args, key }) => {
  expect(claimFor(args)?.key).toBe(key);
});

test.for([
  "worker-kills --sends 2000",
  "worker-kills --worker-kills 20",
  "network --fault-seconds 20",
  "api-kills --policy fail",
])("`npm run chaos -- %s` is not recorded", (args) => {
  expect(claimFor(args)).toBeUndefined();
});

function claimFor(args: string) {
  const options = readCommandLine(args.split(" "));
  if (options === undefined) throw new Error(`not a command line: ${args}`);
  return findClaim(options.scenario, options);
}
