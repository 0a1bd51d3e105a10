import { type GoalCheck, hasReachedGoal } from "../frame/goal-check.ts";
import { short } from "./goal-text.ts";

export interface BenchGoals {
  bench: string;
  goals: GoalCheck[];
}

const rowHeight = 26;
/** Leaves room for the longest figure name. */
const barsFrom = 620;
const barsWide = 360;
const wide = barsFrom + barsWide + 100;
/** A figure four times as good as its goal fills the bar; the plot cuts off anything above. */
const mostShown = 4;

/**
 * Plots each figure relative to its goal, so that all figures share one scale: a bar that reaches the line has reached the
 * goal, and a longer bar is better for every figure. The scale is logarithmic: half and double are equally far from the goal.
 */
export function resultPlot(results: BenchGoals[]): string {
  const rows = results.flatMap(({ bench, goals }) => goals.map((each) => ({ bench, ...each })));
  const height = 60 + rows.length * rowHeight;
  const goalAt = barsFrom + barShare(1) * barsWide;
  const bars = rows.map((row, number) => {
    const y = 40 + number * rowHeight;
    const length = Math.max(2, barShare(achieved(row)) * barsWide);
    const color = hasReachedGoal(row) ? "#2f7d4f" : "#b3672a";
    return [
      `<text x="${barsFrom - 10}" y="${y + 13}" text-anchor="end">${escaped(`${row.bench}: ${row.what}`)}</text>`,
      `<rect x="${barsFrom}" y="${y}" width="${length.toFixed(1)}" height="16" rx="2" fill="${color}"/>`,
      `<text x="${(barsFrom + length + 6).toFixed(1)}" y="${y + 13}" class="value">${short(row.measured)}${row.unit ?? ""}</text>`,
    ].join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${height}" role="img" aria-label="Each figure relative to its goal">
<style>text{font:12px system-ui,sans-serif;fill:#333}.value{fill:#555}.goal{fill:#555;font-size:11px}</style>
<rect width="${wide}" height="${height}" fill="#fff"/>
<line x1="${goalAt}" x2="${goalAt}" y1="28" y2="${height - 16}" stroke="#888" stroke-dasharray="4 3"/>
<text x="${goalAt}" y="20" text-anchor="middle" class="goal">goal</text>
${bars.join("\n")}
</svg>
`;
}

/** 1 at the goal, 2 when twice as good. */
function achieved({ measured, goal, better }: GoalCheck): number {
  const ratio = better === "more" ? measured / goal : goal / measured;
  return Number.isFinite(ratio) ? ratio : mostShown;
}

/** 0 at a quarter of the goal, a half at the goal, 1 at four times the goal. */
function barShare(ratio: number): number {
  const share = (Math.log2(Math.max(ratio, 1 / mostShown)) + 2) / 4;
  return Math.min(1, Math.max(0, share));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
