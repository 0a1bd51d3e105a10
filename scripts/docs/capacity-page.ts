import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withCapacityTable } from "../../bench/scale/capacity-part.ts";
import { repository } from "../evidence/measurement.ts";
import type { GeneratedPage } from "./pages.ts";

const path = "docs/scale.md";

/** Only the table between the markers is generated. */
export const page: GeneratedPage = {
  path,
  render: () => withCapacityTable(readFileSync(join(repository, path), "utf8"), join(repository, "bench/results")),
};
