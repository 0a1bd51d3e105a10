import type { Figures } from "../frame/compare.ts";
import { connect, urlOf } from "./connections.ts";
import { touchedBy } from "./growth-bounds.ts";
import type { LoadedDataset } from "./load-dataset.ts";
import { costOfLookups } from "./lookups.ts";
import { startMaintenance } from "./maintenance.ts";
import type { Cost } from "./meter.ts";
import { costOfQueries } from "./queries.ts";
import { costOfSendSteps } from "./send-steps.ts";
import { costOfWebhookClaims } from "./webhook-claims.ts";

export interface MeasureOptions {
  rounds: number;
  /** Per round and dataset. */
  sends: number;
  queries: number;
}

/**
 * Measures one round with one dataset while the maintenance chores run. The connections are new and warmed up, because the
 * previous round used another dataset. A small dataset fits into the buffers; that is part of its result.
 */
export async function measureDataset(
  serverUrl: string,
  dataset: LoadedDataset,
  round: number,
  { rounds, sends, queries }: MeasureOptions,
): Promise<Figures> {
  const url = urlOf(serverUrl, dataset);
  const [api, worker, chores] = [connect(url, "api"), connect(url, "worker"), connect(url, "worker")];
  try {
    await costOfSendSteps(api, worker, dataset, Math.ceil(sends / 4));
    await costOfQueries(api, dataset, Math.ceil(queries / 4));
    await costOfLookups(api, dataset, Math.ceil(queries / 4));
    await costOfWebhookClaims(worker, Math.ceil(queries / 4));
    const maintenance = startMaintenance(chores, dataset, round, rounds);
    const begun = performance.now();
    const steps = await costOfSendSteps(api, worker, dataset, sends);
    const seconds = (performance.now() - begun) / 1000;
    const queryCosts = await costOfQueries(api, dataset, queries);
    const lookupCosts = await costOfLookups(api, dataset, queries);
    const webhookClaim = await costOfWebhookClaims(worker, queries);
    const counts = await maintenance.stop();
    const costs: Record<string, Cost> = { ...steps, ...queryCosts, ...lookupCosts, "webhook claim": webhookClaim };
    return {
      rate: sends / seconds,
      cpu: {
        "all steps": Object.values(steps).reduce((sum, { cpu }) => sum + cpu, 0),
        ...Object.fromEntries(Object.entries(costs).map(([what, { cpu }]) => [what, cpu])),
      },
      notes: {
        ...Object.fromEntries(Object.entries(costs).map(([what, { touched }]) => [touchedBy(what), touched])),
        ...Object.fromEntries(Object.entries(costs).map(([what, { read }]) => [`${what}, blocks read`, read])),
        "partitions made": counts.partitionsMade,
        "weeks of content dropped": counts.partitionsDropped,
        "list changes folded": counts.listChangesFolded,
        "usage deltas folded": counts.usageDeltasFolded,
      },
    };
  } finally {
    await Promise.all([api, worker, chores].map((each) => each.close()));
  }
}
