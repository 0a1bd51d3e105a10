import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { aFreePort } from "../../ses-simulator/proofs/simulator-process.ts";
import { posternProgram } from "../cell/chaos-cell.ts";
import { run } from "../cell/supervised.ts";
import { askForDomain, type MatrixStage, sendMail } from "./matrix-stage.ts";
import { giveWorker } from "./occasions.ts";
import type { CrashPoint } from "./points.ts";

const armPath = fileURLToPath(new URL("../arm/arm.ts", import.meta.url));
/** A process that has not come by its point after this is given another occasion ... */
const anotherAfterMs = 8_000;
/** ... so often. */
const mostOccasions = 6;

/** Starts a process that dies at the point and gives it reason to come by. Returns whether it died there by its own hand. */
export function killAt(stage: MatrixStage, point: CrashPoint, label: string): Promise<boolean> {
  switch (point.occasion) {
    case "accept":
      return killApi(stage, point, (url) => sendMail(stage, label, url));
    case "register":
      return killApi(stage, point, (url) => registerTwice(stage, `${label}.io`, url));
    case "remove":
      return killApi(stage, point, (url) => removeTwice(stage, `${label}.io`, url));
    default:
      return killWorker(stage, point, label);
  }
}

async function killWorker(stage: MatrixStage, point: CrashPoint, label: string): Promise<boolean> {
  await giveWorker(stage, point, `${label}-0`);
  const { child, ended } = start(stage, point, "worker");
  for (let given = 1; given < mostOccasions; given++) {
    const isCrashed = await Promise.race([ended.then(() => true), sleep(anotherAfterMs, false)]);
    if (isCrashed) break;
    await giveWorker(stage, point, `${label}-${given}`);
  }
  child.kill("SIGKILL");
  await ended;
  return hasDiedAt(stage, point, child.pid);
}

async function killApi(stage: MatrixStage, point: CrashPoint, ask: (url: string) => Promise<void>): Promise<boolean> {
  const port = String(await aFreePort());
  const { child, ended, started } = start(stage, point, "api", { PORT: port });
  await Promise.race([started, ended]);
  await ask(`http://127.0.0.1:${port}`);
  child.kill("SIGKILL");
  await ended;
  return hasDiedAt(stage, point, child.pid);
}

function start({ cell, crashLog }: MatrixStage, { name }: CrashPoint, role: "api" | "worker", env = {}) {
  const armed = { ...cell.environment, ...env, CRASH_AT: name, CRASH_LOG: crashLog };
  return run(posternProgram(role, `${role}-to-die`, cell.folder, armed, ["--import", armPath]));
}

/** The process wrote it down itself, so a kill by anyone else does not count. */
function hasDiedAt({ crashLog }: MatrixStage, { name }: CrashPoint, pid: number | undefined): boolean {
  return existsSync(crashLog) && readFileSync(crashLog, "utf8").split("\n").includes(`${pid} ${name}`);
}

/** As a client does that got no answer. */
async function registerTwice(stage: MatrixStage, name: string, dyingUrl: string): Promise<void> {
  const register = (url: string) => askForDomain(stage, url, "POST", "", { domain_name: name });
  await register(dyingUrl).catch(() => undefined);
  const { status } = await register(stage.cell.apiUrls[0] ?? "");
  // 409: the first one had been completed.
  if (status !== 201 && status !== 409) throw new Error(`registering ${name} again was answered with ${status}`);
  stage.domains.push({ name, end: "registered" });
}

async function removeTwice(stage: MatrixStage, name: string, dyingUrl: string): Promise<void> {
  const healthy = stage.cell.apiUrls[0] ?? "";
  const { body } = await askForDomain(stage, healthy, "POST", "", { domain_name: name });
  const remove = (url: string) => askForDomain(stage, url, "DELETE", `/${body.domain_id}`);
  await remove(dyingUrl).catch(() => undefined);
  const { status } = await remove(healthy);
  if (status !== 200 && status !== 404) throw new Error(`removing ${name} again was answered with ${status}`);
  stage.domains.push({ name, end: "gone" });
}
