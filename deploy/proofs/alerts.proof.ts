import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Proof } from "../../scripts/proof.ts";
import { until } from "../../service/proofs/until.ts";
import { readAlerts, readBoard, withoutVariables } from "../test/monitoring-files.ts";
import { openDrilledCell, startLoad } from "./alerts/drilled-cell.ts";
import { type Drill, drillsOfTheCell, independentDrills } from "./alerts/drills.ts";
import { type NotificationReceiver, receiveNotifications } from "./alerts/notifications.ts";
import { type Monitoring, startMonitoring } from "./alerts/start-monitoring.ts";

const goalSeconds = 120;
const clearsWithinSeconds = 600;
const mailsPerSecond = 5;

interface Outcome {
  drill: Drill;
  /** From the fault to the notification, without the time that the alert waits by its definition. */
  fireSeconds: number | undefined;
  clearSeconds: number | undefined;
}

/** The size is the length of the quiet period in minutes; the drills are always the same. It takes half an hour more, so CI leaves it out. */
export const proof: Proof = {
  promise:
    "Every drill raises its alert within two minutes, besides the time that its definition waits, and a quiet cell raises none",
  covers: ["deploy/monitoring", "deploy/proofs/alerts", "service/src/status", "service/src/metrics.ts"],
  size: { small: 2, full: 30 },
  run: async (quietMinutes, { progress }) => {
    const folder = mkdtempSync(join(tmpdir(), "postern-alerts-"));
    const cell = await openDrilledCell(join(folder, "cell"));
    const receiver = await receiveNotifications();
    const monitoring = await startMonitoring(join(folder, "monitoring"), cell.targets, receiver.url);
    const load = startLoad(cell, mailsPerSecond);
    try {
      await until("all processes are scraped", 60, async () => {
        const up = await monitoring.query('up{job="postern"} == 1');
        return up.length === cell.targets.length;
      });
      progress(`${quietMinutes} quiet minutes`);
      const quietSince = performance.now();
      await sleep(quietMinutes * 60_000);
      const quietAlerts = receiver.firedSince(quietSince);
      const emptyQueries = await findEmptyQueries(monitoring);
      progress(
        `alerts: ${quietAlerts.join(", ") || "none"}; queries without a value: ${emptyQueries.join(", ") || "none"}`,
      );

      const run = (drill: Drill) => runDrill(drill, receiver, monitoring, progress);
      const outcomes = (await Promise.all(independentDrills(cell, load).map((drills) => inOrder(drills, run)))).flat();
      outcomes.push(...(await inOrder(drillsOfTheCell(cell), run)));
      const accepted = await load.stop();
      const inTime = outcomes.filter(({ fireSeconds }) => fireSeconds !== undefined && fireSeconds <= goalSeconds);
      return {
        figure:
          `${quietMinutes} quiet minutes at ${mailsPerSecond} mails a second: ${quietAlerts.length} alerts` +
          `${quietAlerts.length === 0 ? "" : ` (${quietAlerts.join(", ")})`}; ${accepted} mails accepted in all\n` +
          `${inTime.length} of ${outcomes.length} drills notified within ${goalSeconds} s:\n` +
          `${outcomes.map(describe).join("\n")}\n` +
          `queries of the board without a value: ${emptyQueries.join("; ") || "none"}`,
        holds:
          quietAlerts.length === 0 &&
          inTime.length === outcomes.length &&
          outcomes.every(({ clearSeconds }) => clearSeconds !== undefined),
      };
    } finally {
      await load.stop();
      await monitoring.stop();
      receiver.close();
      await cell.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function inOrder<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** The alert must be quiet before the fault: that is the control of each drill. */
async function runDrill(
  drill: Drill,
  receiver: NotificationReceiver,
  monitoring: Monitoring,
  progress: (message: string) => void,
): Promise<Outcome> {
  const { name, alert, waits = 0, firesWithin = 180 } = drill;
  await until(
    `${alert} is quiet before the drill`,
    600,
    async () => !(await monitoring.firingAlerts()).includes(alert),
    500,
  );
  const seconds = async (status: "firing" | "resolved", since: number, within: number) =>
    receiver.received(alert, status, since, within).then(
      (at) => (at - since) / 1000,
      () => undefined,
    );
  const started = performance.now();
  await drill.start();
  const fired = await seconds("firing", started, firesWithin);
  const ended = performance.now();
  await drill.end();
  const clearSeconds = fired === undefined ? undefined : await seconds("resolved", ended, clearsWithinSeconds);
  progress(
    `${name}: ${alert} after ${fired?.toFixed(0) ?? "never"} s, over after ${clearSeconds?.toFixed(0) ?? "never"} s`,
  );
  return { drill, fireSeconds: fired === undefined ? undefined : fired - waits, clearSeconds };
}

function describe({ drill: { name, alert, waits }, fireSeconds, clearSeconds }: Outcome): string {
  const section = readAlerts()
    .find((one) => one.alert === alert)
    ?.runbook.split("#")[1];
  const fired = fireSeconds === undefined ? "did not fire" : `${fireSeconds.toFixed(0)} s`;
  const after = waits === undefined ? "" : ` after the ${waits} s that it waits by definition`;
  const cleared = clearSeconds === undefined ? "not over" : `over after ${clearSeconds.toFixed(0)} s`;
  return `${name}: ${alert} ${fired}${after}, ${cleared}, ${section}`;
}

/** Every query of the board is valid, or Prometheus refuses it here. Some have no value without bounces, errors or a quota. */
async function findEmptyQueries(monitoring: Monitoring): Promise<string[]> {
  const queries = readBoard().panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
  const empty: string[] = [];
  for (const { title, expr } of queries) {
    const values = await monitoring.query(withoutVariables(expr));
    if (values.length === 0) empty.push(title);
  }
  return empty;
}
