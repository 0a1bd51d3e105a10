import { sendPath } from "../../scripts/evidence/send-path.ts";
import { type Bench, fewLongRounds } from "../frame/bench.ts";
import { compare } from "../frame/compare.ts";
import type { GoalCheck } from "../frame/goal-check.ts";
import { costOfSends } from "./cost-of-sends.ts";
import { killOneCell } from "./kill-one-cell.ts";
import { storedBytes } from "./stored-bytes.ts";
import { withTwoCells } from "./two-cells.ts";

/**
 * Low enough that requests hardly overlap. Concurrent requests share round trips and get cheaper, and two cells on one machine
 * would make requests overlap more often than one cell does, so a higher rate would compare that effect.
 */
const perSecond = 20;
/** Node's JIT compiler needs some thousand sends before the measurement starts. */
const warmUp = { perSecond: 100, seconds: 20 };
const perSecondDuringKill = 50;
/** Longer than the health checks of the proxy need to detect the killed cell. */
const minDownSeconds = 12;
/** The CPU time per send may differ by 10 % in either direction. */
const within = 0.1;
const quickWithin = 1;

export const cells: Bench = {
  name: "cells",
  description: `sends per CPU second in two cells behind HAProxy, compared with one cell, at ${perSecond} sends per second each; then one cell is killed`,
  covers: [...sendPath, "deploy/cells", "service/src/api"],
  isLong: true,
  fullSize: fewLongRounds,
  run: ({ rounds, seconds, isQuick, progress }) =>
    withTwoCells(async (setup) => {
      const [first, second] = setup.cells;
      const pace = { perSecond, sends: perSecond * seconds };
      progress("warming up");
      await costOfSends(setup, [first, second], {
        perSecond: warmUp.perSecond,
        sends: warmUp.perSecond * Math.min(warmUp.seconds, 2 * seconds),
      });
      // The two cells alternate as the single cell under load; the other one is idle.
      const alone = (round: number) => costOfSends(setup, [round % 2 === 0 ? first : second], pace);
      const both = () => costOfSends(setup, [first, second], pace);
      const title = `${perSecond} sends per second in each cell`;
      const comparison = await compare(
        [
          { name: "one cell", run: alone },
          { name: "two cells", run: both },
        ],
        rounds,
        progress,
      );
      const bytes = await storedBytes(second);
      progress("killing a cell");
      const kill = await killOneCell(setup, perSecondDuringKill, Math.max(minDownSeconds, seconds));
      const ratio = comparison.ratios["two cells"]?.median ?? Number.NaN;
      return {
        comparisons: { [title]: comparison },
        goals: [
          {
            what: "difference in CPU time per send between two cells and one",
            measured: Math.abs(1 / ratio - 1),
            better: "less",
            goal: within,
            limit: isQuick ? quickWithin : within,
          },
          none("errors of the surviving cell while the other is killed", kill.findings["errors of the surviving cell"]),
          none("other violations after a cell is killed", kill.violations.length),
        ],
        findings: {
          "bytes on disk per record": Math.round(bytes.record),
          "bytes on disk per content": Math.round(bytes.content),
          ...kill.findings,
        },
        notes: kill.violations,
      };
    }),
};

function none(what: string, measured = Number.NaN): GoalCheck {
  return { what, measured, better: "less", goal: 0, limit: 0 };
}
