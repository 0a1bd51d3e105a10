import type { Claim } from "../scripts/evidence/result.ts";
import { accept } from "./accept/accept.ts";
import { cells } from "./cells/cells.ts";
import { drain } from "./drain/drain.ts";
import { engines } from "./engines/engines.ts";
import { feedback } from "./feedback/feedback.ts";
import type { Bench } from "./frame/bench.ts";
import { growth } from "./growth/growth.ts";
import { latency } from "./latency/latency.ts";
import { webhooks } from "./webhooks/webhooks.ts";

export const benches: Bench[] = [accept, drain, feedback, latency, webhooks, engines, cells, growth];

export function benchClaim({ name, description, covers }: Bench): Claim {
  return {
    key: `bench/${name}`,
    promise: description,
    command: `npm run bench -- ${name}`,
    covers: [...covers, "bench/frame", `bench/${name}`],
  };
}
