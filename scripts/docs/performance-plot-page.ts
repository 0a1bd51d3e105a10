import { resultPlot } from "../../bench/report/result-plot.ts";
import { readResults } from "../evidence/evidence-file.ts";
import { repository } from "../evidence/measurement.ts";
import type { GeneratedPage } from "./pages.ts";

export const page: GeneratedPage = {
  path: "docs/performance.svg",
  render() {
    const benches = Object.entries(readResults(repository)).flatMap(([key, { goals = [] }]) => {
      const checks = goals.map((goal) => ({ ...goal, measured: goal.measured ?? Number.NaN }));
      return goals.length === 0 ? [] : [{ bench: key.slice("bench/".length), goals: checks }];
    });
    return resultPlot(benches);
  },
};
