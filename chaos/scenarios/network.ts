import { setTimeout as sleep } from "node:timers/promises";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Dice } from "../../service/proofs/seeded-random.ts";
import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import type { ChaosCell } from "../cell/chaos-cell.ts";
import { defaultInDoubtSeconds } from "../cell/waiting-times.ts";
import { postSend } from "../load/post-send.ts";
import { createFaultyNetwork, type Edge, edges } from "../network/edges.ts";
import { type Direction, directions, type Fault, faults } from "../network/faults.ts";
import type { RunContext, Scenario } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const recoverWithinSeconds = 15;
/** A worker waits 30 s for a lost SQS answer, and within another 60 s SQS redelivers the messages that were in it. */
const lostAnswerSeconds = 30 + 60;

interface Break {
  edge: Edge;
  fault: Fault;
  direction: Direction;
}

const allBreaks: Break[] = edges.flatMap((edge) =>
  faults.flatMap((fault) => directions.map((direction) => ({ edge, fault, direction }))),
);

export const network: Scenario = {
  promise: "network faults between any two processes: 0 lost, 0 doubled, and recovery within 15 seconds",
  covers: [...sendPath, "chaos/network", "service/src/api/http"],
  defaults: { sends: Number.POSITIVE_INFINITY, perSecond: 20, faults: allBreaks.length },
  run: (context) =>
    underLoad(
      context,
      async (cell, load) => {
        const recoveries: (Break & { seconds: number; affectedChunks: number })[] = [];
        for (const broken of shuffled(allBreaks, context.dice).slice(0, context.faults)) {
          recoveries.push({ ...broken, ...(await breakAndHeal(context, cell, broken)) });
        }
        await load.finish();
        const slow = recoveries.filter(({ seconds }) => seconds > recoverWithinSeconds);
        const withoutTraffic = recoveries.filter(({ affectedChunks }) => affectedChunks === 0);
        const longest = Math.max(0, ...recoveries.map(({ seconds }) => seconds));
        return {
          findings: [
            { what: "network faults", value: recoveries.length, holds: recoveries.length === context.faults },
            { what: "seconds of network faults", value: recoveries.length * context.faultSeconds },
            {
              what: "faults that affected no traffic",
              value: withoutTraffic.length,
              holds: withoutTraffic.length === 0,
            },
            {
              what: `longest seconds from healing to a submitted send (at most ${recoverWithinSeconds})`,
              value: longest.toFixed(1),
              holds: slow.length === 0,
            },
          ],
          notes: recoveries.map(
            ({ edge, fault, direction, seconds, affectedChunks }) =>
              `${edge} ${fault} ${direction}: ${affectedChunks} chunks affected, recovered after ${seconds.toFixed(1)} s`,
          ),
          longestPauseSeconds: Math.max(leaseSeconds, lostAnswerSeconds) + defaultInDoubtSeconds,
        };
      },
      {
        network: createFaultyNetwork(context.dice),
        environment: context.sendEvents === "on" ? { IN_DOUBT_SECONDS: String(defaultInDoubtSeconds) } : {},
      },
    ),
};

async function breakAndHeal(context: RunContext, cell: ChaosCell, { edge, fault, direction }: Break) {
  const proxies = cell.network.proxiesOf(edge);
  const before = sumOfAffected(proxies);
  for (const proxy of proxies) proxy.break(fault, direction);
  context.progress(`${edge}: ${fault} ${direction}`);
  await sleep(context.faultSeconds * 1000);
  for (const proxy of proxies) proxy.heal();
  const healedAt = performance.now();
  await Promise.all(cell.apiUrls.map((url) => untilSent(cell, url, `${context.seed}-${healedAt}-${url}`)));
  return { seconds: (performance.now() - healedAt) / 1000, affectedChunks: sumOfAffected(proxies) - before };
}

function sumOfAffected(proxies: { affectedChunks: number }[]): number {
  return proxies.reduce((sum, { affectedChunks }) => sum + affectedChunks, 0);
}

/** Waits until a new send is accepted by this API and submitted. */
async function untilSent({ db, senders }: ChaosCell, url: string, key: string): Promise<void> {
  const [sender] = senders;
  const to = ["success+probe@simulator.amazonses.com"];
  const body = { from: sender?.from, to, subject: "Probe", text: key, idempotency_key: key.slice(0, 200) };
  for (let id: string | undefined; ; ) {
    id ??= await postSend(url, sender?.key ?? "", body).then(
      (answer) => answer.id,
      () => undefined,
    );
    if (id !== undefined && (await isSent(db, id))) return;
    await sleep(100);
  }
}

async function isSent(db: ChaosCell["db"], id: string): Promise<boolean> {
  const rows = await db.query({
    name: "chaos-is-sent",
    text: `select id from sends where id = $1 and sent_at is not null`,
    values: [id],
  });
  return rows.length > 0;
}

function shuffled<Item>(items: Item[], dice: Dice): Item[] {
  return items
    .map((item) => ({ item, key: dice.roll(1_000_000) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
