import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { aFreePort } from "../../ses-simulator/proofs/simulator-process.ts";
import { posternProgram } from "../cell/programs.ts";
import { run } from "../cell/supervised.ts";
import { askForDomain, type MatrixContext, sendMail } from "./matrix-context.ts";
import type { CrashPoint } from "./points.ts";
import { triggerWorker } from "./triggers.ts";

const armPath = fileURLToPath(new URL("../arm/arm.ts", import.meta.url));
/** A process that has not reached its crash point after this time is triggered again ... */
const retriggerAfterMs = 8_000;
/** ... up to this number of times. */
const maxTriggers = 6;

/** Starts a process armed for the crash point and triggers it. Returns whether the process killed itself there. */
export function killAt(context: MatrixContext, point: CrashPoint, label: string): Promise<boolean> {
  switch (point.trigger) {
    case "accept":
      return killApi(context, point, (url) => sendMail(context, label, url));
    case "register":
      return killApi(context, point, (url) => registerTwice(context, `${label}.io`, url));
    case "remove":
      return killApi(context, point, (url) => removeTwice(context, `${label}.io`, url));
    default:
      return killWorker(context, point, label);
  }
}

async function killWorker(context: MatrixContext, point: CrashPoint, label: string): Promise<boolean> {
  await triggerWorker(context, point, `${label}-0`);
  const { child, ended } = start(context, point, "worker");
  for (let triggered = 1; triggered < maxTriggers; triggered++) {
    const isCrashed = await Promise.race([ended.then(() => true), sleep(retriggerAfterMs, false)]);
    if (isCrashed) break;
    await triggerWorker(context, point, `${label}-${triggered}`);
  }
  child.kill("SIGKILL");
  await ended;
  return hasCrashedAt(context, point, child.pid);
}

async function killApi(
  context: MatrixContext,
  point: CrashPoint,
  ask: (url: string) => Promise<void>,
): Promise<boolean> {
  const port = String(await aFreePort());
  const { child, ended, started } = start(context, point, "api", { PORT: port });
  await Promise.race([started, ended]);
  await ask(`http://127.0.0.1:${port}`);
  child.kill("SIGKILL");
  await ended;
  return hasCrashedAt(context, point, child.pid);
}

function start({ cell, crashLog }: MatrixContext, { name }: CrashPoint, role: "api" | "worker", env = {}) {
  const armed = { ...cell.environment, ...env, CRASH_AT: name, CRASH_LOG: crashLog };
  return run(posternProgram(role, `${role}-to-crash`, cell.folder, armed, ["--import", armPath]));
}

/** The process writes its pid to the log before it kills itself, so that no other kill counts. */
function hasCrashedAt({ crashLog }: MatrixContext, { name }: CrashPoint, pid: number | undefined): boolean {
  return existsSync(crashLog) && readFileSync(crashLog, "utf8").split("\n").includes(`${pid} ${name}`);
}

/** Repeats the request at a healthy API, as a client without an answer does. */
async function registerTwice(context: MatrixContext, name: string, crashingUrl: string): Promise<void> {
  const register = (url: string) => askForDomain(context, url, "POST", "", { domain_name: name });
  await register(crashingUrl).catch(() => undefined);
  const { status } = await register(context.cell.apiUrls[0] ?? "");
  // 409: the first request had succeeded.
  if (status !== 201 && status !== 409)
    throw new Error(`the second registration of ${name} was answered with ${status}`);
  context.domains.push({ name, end: "registered" });
}

async function removeTwice(context: MatrixContext, name: string, crashingUrl: string): Promise<void> {
  const healthy = context.cell.apiUrls[0] ?? "";
  const { body } = await askForDomain(context, healthy, "POST", "", { domain_name: name });
  const remove = (url: string) => askForDomain(context, url, "DELETE", `/${body.domain_id}`);
  await remove(crashingUrl).catch(() => undefined);
  const { status } = await remove(healthy);
  if (status !== 200 && status !== 404) throw new Error(`the second removal of ${name} was answered with ${status}`);
  context.domains.push({ name, end: "gone" });
}
