import { Gauge } from "prom-client";
import packageJson from "../../package.json" with { type: "json" };
import { codeLevel } from "../db/code-range.ts";
import type { Metrics } from "../metrics.ts";
import type { Readiness } from "../status/readiness.ts";
import { withinScrape } from "../status/scrape-deadline.ts";
import type { ProcessDatabases } from "./process-databases.ts";

type Checks = Readiness["checks"];

interface MeasuredProcess {
  role: string;
  /** Rejects, or takes too long, while the database does not answer. */
  readChecks: () => Promise<Checks>;
  connections: ProcessDatabases["connections"];
}

/** What this process knows about itself; the values of two processes differ. */
export function measureProcess({ registry }: Pick<Metrics, "registry">, process: MeasuredProcess): void {
  const registers = [registry];
  new Gauge({
    name: "postern_build_info",
    help: "1, with the role of the process, the version of Postern and the number of its newest migration",
    labelNames: ["role", "version", "migration"],
    registers,
  }).set({ role: process.role, version: packageJson.version, migration: String(codeLevel) }, 1);

  const connections = new Gauge({
    name: "postern_database_connections",
    help: "Database connections of this process by pool and state: `busy`, `idle`, and requests that wait for one (`waiting`)",
    labelNames: ["pool", "state"],
    registers,
    collect() {
      connections.reset();
      for (const [pool, { total, idle, waiting }] of Object.entries(process.connections())) {
        connections.set({ pool, state: "busy" }, total - idle);
        connections.set({ pool, state: "idle" }, idle);
        connections.set({ pool, state: "waiting" }, waiting);
      }
    },
  });

  const ready = new Gauge({
    name: "postern_ready",
    help: "1 while the check passes for this process: its database answers, the schema fits its code, partitions cover the present time; missing while unknown",
    labelNames: ["check"],
    registers,
    async collect() {
      ready.reset();
      const unreachable = { database: "unreachable", schema: "unknown", partitions: "unknown" } as const;
      const checks: Checks = await withinScrape(process.readChecks()).catch(() => unreachable);
      for (const check of ["database", "schema", "partitions"] as const) {
        if (checks[check] !== "unknown") ready.set({ check }, Number(isPassed(checks[check])));
      }
    },
  });
}

/** Partitions that end soon do not stop the process; `postern_partitions_ahead_seconds` shows them. */
function isPassed(check: Checks[keyof Checks]): boolean {
  return check === "ok" || (typeof check === "object" && "degraded" in check);
}
