import type { Figures } from "../frame/compare.ts";
import { connect, urlOf } from "./connections.ts";
import type { LoadedWorld } from "./load-world.ts";
import type { Cost } from "./meter.ts";
import { costOfQuestions } from "./questions.ts";
import { costOfWay } from "./send-way.ts";
import { startUpkeep } from "./upkeep.ts";

export interface Pressure {
  rounds: number;
  /** In a round, of each world. */
  sends: number;
  questions: number;
}

/**
 * One round with one world, while its upkeep runs. Connections are new and warmed up: the round before was with another world,
 * and what stays in the buffers of a small one is part of being small.
 */
export async function pressWorld(
  serverUrl: string,
  world: LoadedWorld,
  round: number,
  { rounds, sends, questions }: Pressure,
): Promise<Figures> {
  const url = urlOf(serverUrl, world);
  const [api, worker, chores] = [connect(url, "api"), connect(url, "worker"), connect(url, "worker")];
  try {
    await costOfWay(api, worker, world, Math.ceil(sends / 4));
    await costOfQuestions(api, world, Math.ceil(questions / 4));
    const upkeep = startUpkeep(chores, world, round, rounds);
    const begun = performance.now();
    const way = await costOfWay(api, worker, world, sends);
    const seconds = (performance.now() - begun) / 1000;
    const asked = await costOfQuestions(api, world, questions);
    const kept = await upkeep.stop();
    const costs: Record<string, Cost> = { ...way, ...asked };
    return {
      rate: sends / seconds,
      cpu: {
        "whole way": Object.values(way).reduce((sum, { cpu }) => sum + cpu, 0),
        ...Object.fromEntries(Object.entries(costs).map(([what, { cpu }]) => [what, cpu])),
      },
      notes: {
        ...Object.fromEntries(Object.entries(costs).map(([what, { touched }]) => [`${what}, blocks touched`, touched])),
        ...Object.fromEntries(Object.entries(costs).map(([what, { read }]) => [`${what}, blocks read`, read])),
        "partitions made": kept.made,
        "weeks of content dropped": kept.dropped,
        "changes of lists folded": kept.folded,
      },
    };
  } finally {
    await Promise.all([api, worker, chores].map((each) => each.close()));
  }
}
