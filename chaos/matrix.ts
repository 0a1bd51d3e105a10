import { parseArgs } from "node:util";
import { startMeasurement } from "../scripts/evidence/measurement.ts";
import { fullTimes, isFullMatrix, matrixClaim } from "./claims.ts";
import { points } from "./matrix/points.ts";
import { runMatrix } from "./matrix/run-matrix.ts";
import { figureOf, report } from "./report.ts";

const help = `Usage: npm run chaos:matrix -- [options]

  --times N       number of kills at each crash point (50)
  --points a,b    only these crash points: ${points.map(({ name }) => name).join(", ")}`;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: String(fullTimes) },
    points: { type: "string" },
    help: { type: "boolean" },
  },
});
const [times, wanted] = [Number(values.times), values.points?.split(",")];
const unknown = wanted?.filter((name) => !points.some((point) => point.name === name)) ?? [];
if (values.help === true || unknown.length > 0 || !(times >= 1)) {
  console.log(unknown.length > 0 ? `There is no crash point ${unknown.join(", ")}.\n\n${help}` : help);
  process.exit(values.help === true ? 0 : 64);
}

const chosen = points.filter(({ name }) => wanted?.includes(name) ?? true);
const record = isFullMatrix(times, chosen) ? startMeasurement(matrixClaim) : undefined;
const { outcome, seconds } = await runMatrix(times, chosen);
const isHeld = report({ run: "matrix", seconds }, outcome);
await record?.({ figure: figureOf({ seconds }, outcome), n: outcome.n, holds: isHeld });
process.exitCode = isHeld ? 0 : 1;
process.exit();
