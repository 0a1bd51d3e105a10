import { parseArgs } from "node:util";
import { points } from "./matrix/points.ts";
import { runMatrix } from "./matrix/run-matrix.ts";
import { report } from "./report.ts";

const help = `Usage: npm run chaos:matrix -- [options]

  --times N       number of kills at each crash point (50)
  --points a,b    only these crash points: ${points.map(({ name }) => name).join(", ")}`;

const { values } = parseArgs({
  options: { times: { type: "string", default: "50" }, points: { type: "string" }, help: { type: "boolean" } },
});
const [times, wanted] = [Number(values.times), values.points?.split(",")];
const unknown = wanted?.filter((name) => !points.some((point) => point.name === name)) ?? [];
if (values.help === true || unknown.length > 0 || !(times >= 1)) {
  console.log(unknown.length > 0 ? `There is no crash point ${unknown.join(", ")}.\n\n${help}` : help);
  process.exit(values.help === true ? 0 : 64);
}

const { outcome, seconds } = await runMatrix(
  times,
  points.filter(({ name }) => wanted?.includes(name) ?? true),
);
process.exitCode = report({ run: "matrix", seconds }, outcome) ? 0 : 1;
process.exit();
