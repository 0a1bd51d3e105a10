import type { Bench } from "../frame/bench.ts";
import { type Comparison, compare } from "../frame/compare.ts";
import { checkLeads } from "../frame/ranking.ts";
import { contenders, type EngineChoice, postern } from "./engine-cells.ts";
import { installContenders } from "./install-contenders.ts";
import { measureEngine } from "./measure-engine.ts";
import { requireServers } from "./private-servers.ts";

const sends = { quick: 2_000, full: 15_000 };
const quickLimit = 0.3;
const withRecord = "every send recorded in PostgreSQL";

export const engines: Bench = {
  name: "engines",
  description:
    "Postern's queue compared with graphile-worker, pg-boss, BullMQ and NATS: accept 2 KB, claim, a call of 20 ms, mark as sent",
  covers: [
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
    const contender = ({ name, open }: EngineChoice, hasRecord: boolean) => ({
      name,
      run: async () => {
        const cell = await open(serverUrl, hasRecord);
        try {
          return await measureEngine(cell, count, hasRecord);
        } finally {
          await cell.close();
        }
      },
    });
    const race = (hasRecord: boolean) =>
      compare([contender(postern, true), ...others.map((each) => contender(each, hasRecord))], rounds, progress);
    const ranked = await race(true);
    const comparisons: Record<string, Comparison> = { [withRecord]: ranked };
    if (!isQuick) comparisons["the others alone, without a record"] = await race(false);
    // An engine that does not sync to disk does less work than the others, so it is not ranked.
    const rivals = others.filter(({ isDurable }) => isDurable).map(({ name }) => name);
    const goals = checkLeads(ranked, postern.name, rivals, isQuick ? quickLimit : 1);
    return { comparisons, goals, rankedBy: postern.name, details: { versions } };
  },
};
