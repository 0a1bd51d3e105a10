import type { Bench } from "../frame/bench.ts";
import { again, compare } from "../frame/compare.ts";
import { checkCpu } from "../frame/ranking.ts";
import { type Counts, countFindings, openCountedServer } from "../frame/server-counts.ts";
import { contenders, type EngineCell, type EngineChoice, postern } from "./engine-cells.ts";
import { installContenders } from "./install-contenders.ts";
import { countEngine, measureEngine } from "./measure-engine.ts";
import { requireServers } from "./private-servers.ts";

const sends = { quick: 2_000, full: 10_000 };
const target = { goal: 0.9, floor: 1.1, quickFloor: 2 };

export const engines: Bench = {
  name: "engines",
  description:
    "Postern's queue compared with graphile-worker, pg-boss, BullMQ and NATS at equal duties: accept 2 KB, claim, check again, a call of 20 ms, mark as sent",
  covers: [
    "bench/plain",
    "service/migrations",
    "service/src/accept",
    "service/src/crypto",
    "service/src/db",
    "service/src/delivery",
    "service/src/queue",
    "service/src/sends",
  ],
  isLong: true,
  async run({ serverUrl, rounds, isQuick, progress }) {
    const servers = requireServers("redis-server", "nats-server");
    const versions = { ...installContenders(progress), ...servers };
    const count = sends[isQuick ? "quick" : "full"];
    const others = contenders();
    const server = await openCountedServer(serverUrl);
    const inCell = async <Result>({ open }: EngineChoice, work: (cell: EngineCell) => Promise<Result>) => {
      const cell = await open(serverUrl);
      try {
        return await work(cell);
      } finally {
        await cell.close();
      }
    };
    const contender = (engine: EngineChoice) => ({
      name: engine.name,
      run: () => inCell(engine, (cell) => measureEngine(cell, count, server.checkpoint)),
    });
    try {
      const ours = contender(postern);
      const ranked = await compare([ours, again(ours), ...others.map(contender)], rounds, progress);
      const counts: Record<string, Counts> = {};
      for (const engine of isQuick ? [] : [postern, ...others]) {
        progress(`counting WAL and blocks of ${engine.name}`);
        counts[engine.name] = await inCell(engine, (cell) => countEngine(cell, count, server));
      }
      // An engine that does not sync to disk does less work than the others, so it is not ranked.
      const rivals = others.filter(({ isDurable }) => isDurable).map(({ name }) => name);
      const goals = [checkCpu(ranked, postern.name, rivals, target, isQuick)];
      const findings = countFindings("per send", counts);
      return {
        comparisons: { "equal duties": ranked },
        goals,
        rankedBy: postern.name,
        findings,
        details: { versions },
      };
    } finally {
      await server.close();
    }
  },
};
