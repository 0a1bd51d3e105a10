import { join } from "node:path";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { measureInProcess } from "../cost/measure-in-process.ts";
import type { TreeCosts } from "../cost/measure-tree.ts";
import { type Cost, steps } from "../cost/metered-connections.ts";
import { checkOutOld } from "./plain-cost/old-checkout.ts";
import { recordedCosts } from "./plain-cost/recorded-costs.ts";

const repository = join(import.meta.dirname, "../..");
const maxRatio = 1.05;
const fullSize = 800;

/** How much a step costs now, compared with before. */
interface Change {
  what: string;
  before: number;
  now: number;
}

export const proof: Proof = {
  promise: "A plain mail costs at most 5 % more WAL and blocks than before mails had headers, tags and attachments",
  covers: [
    "bench/cost",
    "service/migrations",
    "service/src/accept",
    "service/src/db",
    "service/src/feedback",
    "service/src/queue",
    "service/src/usage",
    "service/src/webhooks",
  ],
  size: { small: 400, full: fullSize },
  run: async (size, { progress }) => {
    // A shallow clone has no old checkout, so the small size compares with recorded counts: they repeat within 1 %.
    if (size < fullSize) return findingOf(changesOf(recordedCosts, await measureInProcess(repository, size)), size);
    const old = checkOutOld();
    try {
      progress(`measuring ${old.commit}`);
      const before = await measureInProcess(old.folder, size);
      progress("measuring this checkout");
      const now = await measureInProcess(repository, size);
      progress(`measuring ${old.commit} again`);
      const again = await measureInProcess(old.folder, size);
      const { figure, holds } = findingOf(changesOf(before, now), size);
      const noise = Math.max(
        ...changesOf(before, again).map(({ before: one, now: other }) => Math.abs(other / one - 1)),
      );
      return { figure: `${figure}; ${old.commit} measured twice: ${(100 * noise).toFixed(1)} % apart at most`, holds };
    } finally {
      old.remove();
    }
  },
};

function changesOf(before: TreeCosts, now: TreeCosts): Change[] {
  return (["lone", "batched"] as const).flatMap((size) =>
    steps.flatMap((step) =>
      (["walBytes", "blocks"] as const).map((unit: keyof Cost) => ({
        what: `${step}${size === "lone" ? "" : " in batches of 50"}, ${unit === "blocks" ? "blocks" : "bytes of WAL"}`,
        before: before[size][step][unit],
        now: now[size][step][unit],
      })),
    ),
  );
}

function findingOf(changes: Change[], sends: number): Finding {
  const rounded = (value: number) => value.toFixed(value < 100 ? 1 : 0);
  const textOf = ({ what, before, now }: Change) =>
    `${what}: ${rounded(before)} before, ${rounded(now)} now (${(100 * (now / before - 1)).toFixed(1)} %)`;
  const [largest] = changes.toSorted((one, other) => other.now / other.before - one.now / one.before);
  const alone = changes.filter(({ what }) => /^(accept without a key|claim|settle), /.test(what)).map(textOf);
  return {
    figure: `${sends} sends alone and more in batches; ${alone.join("; ")}; the largest change of ${changes.length}: ${
      largest === undefined ? "none" : textOf(largest)
    }`,
    holds: changes.length > 0 && changes.every(({ before, now }) => now <= maxRatio * before),
  };
}
