import { setTimeout as sleep } from "node:timers/promises";
import type { Dice } from "../../service/proofs/seeded-random.ts";
import { leaseSeconds } from "../../service/src/queue/claim-sends.ts";
import type { ChaosCell } from "../cell/chaos-cell.ts";
import { usualInDoubtSeconds } from "../cell/waiting-times.ts";
import { postSend } from "../load/post-send.ts";
import { createFaultyNetwork, type Edge, edges } from "../network/edges.ts";
import { type Direction, directions, type Fault, faults } from "../network/fault-proxy.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { underLoad } from "./under-load.ts";

const recoverWithinSeconds = 15;
/** So long a worker waits for an answer of SQS that was lost, and so much later all that was in it has surely come back. */
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
  promise: "whatever the network does between any two parts: 0 lost, 0 doubled, and well again within 15 seconds",
  usual: { sends: Number.POSITIVE_INFINITY, perSecond: 20, faults: allBreaks.length },
  run: (stage) =>
    underLoad(
      stage,
      async (cell, load) => {
        const recoveries: (Break & { seconds: number; met: number })[] = [];
        for (const broken of shuffled(allBreaks, stage.dice).slice(0, stage.faults)) {
          recoveries.push({ ...broken, ...(await breakAndHeal(stage, cell, broken)) });
        }
        await load.finish();
        const slow = recoveries.filter(({ seconds }) => seconds > recoverWithinSeconds);
        const unmet = recoveries.filter(({ met }) => met === 0);
        const longest = Math.max(0, ...recoveries.map(({ seconds }) => seconds));
        return {
          findings: [
            { what: "faults of the network", value: recoveries.length, holds: recoveries.length === stage.faults },
            { what: "seconds of them", value: recoveries.length * stage.faultSeconds },
            { what: "faults that met no traffic", value: unmet.length, holds: unmet.length === 0 },
            {
              what: `seconds from healing to a send that went out: longest (at most ${recoverWithinSeconds})`,
              value: longest.toFixed(1),
              holds: slow.length === 0,
            },
          ],
          notes: recoveries.map(
            ({ edge, fault, direction, seconds, met }) =>
              `${edge} ${fault} ${direction}: ${met} pieces met, well after ${seconds.toFixed(1)} s`,
          ),
          longestPauseSeconds: Math.max(leaseSeconds, lostAnswerSeconds) + usualInDoubtSeconds,
        };
      },
      {
        network: createFaultyNetwork(stage.dice),
        environment: stage.sendEvents === "on" ? { IN_DOUBT_SECONDS: String(usualInDoubtSeconds) } : {},
      },
    ),
};

async function breakAndHeal(stage: Stage, cell: ChaosCell, { edge, fault, direction }: Break) {
  const proxies = cell.network.proxiesOf(edge);
  const metBefore = sumOfMet(proxies);
  for (const proxy of proxies) proxy.break(fault, direction);
  stage.progress(`${edge}: ${fault} ${direction}`);
  await sleep(stage.faultSeconds * 1000);
  for (const proxy of proxies) proxy.heal();
  const healedAt = performance.now();
  await Promise.all(cell.apiUrls.map((url) => untilSent(cell, url, `${stage.seed}-${healedAt}-${url}`)));
  return { seconds: (performance.now() - healedAt) / 1000, met: sumOfMet(proxies) - metBefore };
}

function sumOfMet(proxies: { met: number }[]): number {
  return proxies.reduce((sum, { met }) => sum + met, 0);
}

/** A new send goes all the way: accepted by this API and handed over. */
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
    .map((item) => ({ item, place: dice.roll(1_000_000) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
