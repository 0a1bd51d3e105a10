import { parseArgs } from "node:util";
import { points } from "./matrix/points.ts";
import { runMatrix } from "./matrix/run-matrix.ts";
import { report } from "./report.ts";

/** `npm run chaos:matrix -- --times N`: every point N times; `--points a,b` only some of them. */
const { values } = parseArgs({ options: { times: { type: "string" }, points: { type: "string" } } });
const wanted = values.points?.split(",");
const unknown = wanted?.filter((name) => !points.some((point) => point.name === name)) ?? [];
if (unknown.length > 0) throw new Error(`There is no crash point ${unknown.join(", ")}`);

const { outcome, seconds } = await runMatrix(
  Number(values.times ?? 50),
  points.filter(({ name }) => wanted?.includes(name) ?? true),
);
process.exitCode = report({ run: "matrix", seconds }, outcome) ? 0 : 1;
process.exit();
