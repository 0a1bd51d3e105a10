import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { until } from "../../../service/proofs/until.ts";
import { freePort } from "../../../service/test/free-port.ts";
import { monitoringFolder } from "../../test/monitoring-files.ts";

export interface Monitoring {
  prometheusUrl: string;
  /** The values of a query now: one for each series. */
  query(expression: string): Promise<number[]>;
  firingAlerts(): Promise<string[]>;
  stop(): Promise<void>;
}

interface Answer<Data> {
  status: string;
  data: Data;
}

/** Prometheus and Alertmanager with the files of deploy/monitoring; only addresses differ. */
export async function startMonitoring(folder: string, targets: string[], receiverUrl: string): Promise<Monitoring> {
  mkdirSync(folder, { recursive: true });
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()];
  cpSync(join(monitoringFolder, "rules.yml"), join(folder, "rules.yml"));
  const alertmanager = `127.0.0.1:${alertmanagerPort}`;
  const settings = parse(readFileSync(join(monitoringFolder, "prometheus.yml"), "utf8"));
  settings.alerting.alertmanagers[0].static_configs[0].targets = [alertmanager];
  settings.scrape_configs[0].static_configs[0].targets = targets;
  writeFileSync(join(folder, "prometheus.yml"), stringify(settings));
  const routes = readFileSync(join(monitoringFolder, "alertmanager.yml"), "utf8");
  writeFileSync(join(folder, "alertmanager.yml"), routes.replaceAll("http://127.0.0.1:9099", receiverUrl));

  const prometheus = `127.0.0.1:${prometheusPort}`;
  const processes = [
    start(folder, "prometheus", [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "prometheus")}`,
      `--web.listen-address=${prometheus}`,
    ]),
    start(folder, "prometheus-alertmanager", [
      `--config.file=${join(folder, "alertmanager.yml")}`,
      `--storage.path=${join(folder, "alertmanager")}`,
      `--web.listen-address=${alertmanager}`,
      "--cluster.listen-address=",
    ]),
  ];
  const get = async <Data>(path: string) => {
    const response = await fetch(`http://${prometheus}/api/v1/${path}`, { signal: AbortSignal.timeout(10_000) });
    // Prometheus defines this shape; a missing member fails the proof.
    const { status, data } = (await response.json()) as Answer<Data>;
    if (status !== "success") throw new Error(`Prometheus answered ${response.status} to ${path}`);
    return data;
  };
  const isReady = (address: string) => () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const address of [prometheus, alertmanager]) await until(`${address} is ready`, 60, isReady(address), 200);
  return {
    prometheusUrl: `http://${prometheus}`,
    async query(expression) {
      const { result } = await get<{ result: { value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      );
      return result.map(({ value: [, value] }) => Number(value));
    },
    async firingAlerts() {
      const { alerts } = await get<{ alerts: { state: string; labels: { alertname: string } }[] }>("alerts");
      return alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname);
    },
    async stop() {
      await Promise.all(processes.map(end));
    },
  };
}

/** The kernel kills it when this process exits. */
function start(folder: string, program: string, args: string[]): ChildProcess {
  const log = openSync(join(folder, `${program}.log`), "a");
  const child = spawn("setpriv", ["--pdeathsig", "KILL", program, ...args], { stdio: ["ignore", log, log] });
  child.on("error", () => undefined);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
