import type { Bench } from "../frame/bench.ts";
import { compare } from "../frame/compare.ts";
import type { Validation } from "../frame/judgement.ts";
import { costOfSends } from "./cost-of-sends.ts";
import { killOneCell } from "./death-of-a-cell.ts";
import { storedBytes } from "./stored-bytes.ts";
import { withTwoCells } from "./two-cells.ts";

/**
 * So few that hardly two are under way at a time. Where requests meet they share round trips and get cheaper, and on one machine
 * two cells would make them meet more often than one does: that would be compared instead.
 */
const perSecond = 20;
/** Before anything counts, the compiler of Node has to have seen some thousand sends. */
const warmUp = { perSecond: 100, seconds: 20 };
const perSecondAtDeath = 50;
/** Longer than the health checks of the proxy take to notice. */
const leastDeadSeconds = 12;
/** Equal within a tenth: more would be as strange as less. */
const within = 0.1;
const quickWithin = 1;

export const cells: Bench = {
  name: "cells",
  asks: `sends for a second of processor time in two cells behind HAProxy, beside one, at ${perSecond} a second in each; then one is killed`,
  isLong: true,
  run: ({ rounds, seconds, isQuick, progress }) =>
    withTwoCells(async (stage) => {
      const [first, second] = stage.cells;
      const pace = { perSecond, sends: perSecond * seconds };
      progress("warming up");
      await costOfSends(stage, [first, second], {
        perSecond: warmUp.perSecond,
        sends: warmUp.perSecond * Math.min(warmUp.seconds, 2 * seconds),
      });
      // Each of them is the one that is alone in turn; the other stands idle meanwhile.
      const alone = (round: number) => costOfSends(stage, [round % 2 === 0 ? first : second], pace);
      const both = () => costOfSends(stage, [first, second], pace);
      const title = `${perSecond} sends a second in each cell`;
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
      const death = await killOneCell(stage, perSecondAtDeath, Math.max(leastDeadSeconds, seconds));
      const ratio = comparison.ratios["two cells"]?.median ?? Number.NaN;
      return {
        comparisons: { [title]: comparison },
        judged: [
          {
            what: "difference in processor time of a send between two cells and one",
            measured: Math.abs(1 / ratio - 1),
            better: "less",
            goal: within,
            limit: isQuick ? quickWithin : within,
          },
          none("errors of the cell that lives while the other is killed", death.findings["errors of the living cell"]),
          none("other rules broken by a killed cell", death.broken.length),
        ],
        findings: {
          "bytes of a record on disk": Math.round(bytes.record),
          "bytes of a content on disk": Math.round(bytes.content),
          ...death.findings,
        },
        notes: death.broken,
      };
    }),
};

function none(what: string, measured = Number.NaN): Validation {
  return { what, measured, better: "less", goal: 0, limit: 0 };
}
