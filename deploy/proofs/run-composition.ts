import { readFileSync } from "node:fs";
import { type PosternProcess, spawnPostern } from "../../service/test/spawn-postern.ts";
import { type ComposeService, withVariables } from "../test/compose-file.ts";
import { readImage } from "../test/container-file.ts";
import { type EnteredImage, withPath } from "./entered-image.ts";
import { sendTestMail } from "./send-test-mail.ts";

interface Composition {
  services: [name: string, service: ComposeService][];
  /** The content of .env. */
  variables: Record<string, string>;
  /** Replaces DATABASE_URL of the composition unless it comes from a file. */
  databaseUrl: string;
  entered: EnteredImage;
}

export interface Outcome {
  processes: number;
  healthy: number;
  delivered: number;
  exitedCleanly: number;
  problems: string[];
  slowestStopMs: number;
  largestMb: number;
}

/** Runs the processes of `docker compose up` and the commands of the guide in order, then stops all of them with SIGTERM. */
export async function runComposition(composition: Composition, mails: number): Promise<Outcome> {
  const { services, entered } = composition;
  const image = readImage();
  const problems: string[] = [];
  const environmentOf = (service: ComposeService) => environmentFor(composition, service);
  const command = (name: string, service: ComposeService, ...words: string[]) => {
    const { code, output } = entered.run([...image.entrypoint, ...words], environmentOf(service));
    if (code !== 0) throw new Error(`${name}: ${words.join(" ")} exited with ${code}: ${output}`);
    return output;
  };

  for (const [name, service] of ofRole(services, "migrate")) command(name, service, "migrate");
  const longRunning = [...ofRole(services, "api"), ...ofRole(services, "worker")];
  const processes: { process: PosternProcess; service: ComposeService; name: string }[] = [];
  try {
    for (const [name, service] of longRunning)
      for (let count = 0; count < (service.scale ?? 1); count++) {
        const role = service.command?.[0] === "api" ? "api" : "worker";
        const line = [...entered.prefix, ...image.entrypoint] as [string, ...string[]];
        processes.push({ name, service, process: await spawnPostern(role, withPath(environmentOf(service)), line) });
      }
    const health = (process: PosternProcess, service: ComposeService) => {
      const env = { ...environmentOf(service), OPERATIONS_PORT: new URL(process.operationsUrl).port };
      return entered.run(image.healthCommand, env).code;
    };
    const unhealthy = processes.filter(({ process, service }) => health(process, service) !== 0);
    for (const { name } of unhealthy) problems.push(`${name} is not healthy`);

    const [first] = ofRole(services, "api");
    if (first === undefined) throw new Error("the compose file has no API");
    const printed = command(...first, "admin", "create-account", "--name", "Acme", "--email", "ada@example.com");
    const password = /^Password (\S+)$/m.exec(printed)?.[1] ?? "";
    const limits = ["--per-second", "1000", "--per-10-seconds", "10000", "--per-minute", "60000"];
    command(...first, "admin", "set-limits", "--email", "ada@example.com", ...limits);
    const ports = processes.filter(({ service }) => service.command?.[0] === "api");
    const urls = ports.map(({ process }) => `http://127.0.0.1:${new URL(process.url).port}`);
    const delivered = await sendTestMail(urls, { email: "ada@example.com", password }, mails);

    const largestMb = Math.max(...processes.map(({ process }) => residentMb(process.pid)));
    let [slowestStopMs, exitedCleanly] = [0, 0];
    for (const { name, process, service } of processes.toReversed()) {
      const { tookMs, exit } = await stop(process, service);
      slowestStopMs = Math.max(slowestStopMs, tookMs);
      if (exit === "0") exitedCleanly++;
      else problems.push(`${name} exited with ${exit}`);
      if (health(process, service) === 0) problems.push(`${name} is healthy although it has exited`);
    }
    const healthy = processes.length - unhealthy.length;
    return { processes: processes.length, healthy, delivered, exitedCleanly, problems, slowestStopMs, largestMb };
  } finally {
    for (const { process } of processes) {
      process.kill("SIGKILL");
      await process.exited;
    }
  }
}

function ofRole(services: Composition["services"], role: string): Composition["services"] {
  return services.filter(([, { command }]) => command?.[0] === role);
}

/** The variables of the image, then of the service. Ports are chosen by the system on loopback, because all processes share one network. */
function environmentFor({ variables, databaseUrl }: Composition, service: ComposeService): Record<string, string> {
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [name, withVariables(value, variables)]);
  const settings: Record<string, string> = { ...readImage().environment, ...Object.fromEntries(own) };
  if (settings.DATABASE_URL !== undefined) settings.DATABASE_URL = databaseUrl;
  return { ...settings, HOST: "127.0.0.1", OPERATIONS_HOST: "127.0.0.1", PORT: "0", OPERATIONS_PORT: "0" };
}

/** Sends the stop signal of the image, and SIGKILL after the grace period, as a container engine does. */
async function stop(process: PosternProcess, service: ComposeService): Promise<{ tookMs: number; exit: string }> {
  const graceMs = Number.parseInt(service.stop_grace_period ?? "10", 10) * 1000;
  const started = performance.now();
  process.kill(readImage().stopSignal as NodeJS.Signals);
  const killing = setTimeout(() => process.kill("SIGKILL"), graceMs);
  const { code, signal } = await process.exited;
  clearTimeout(killing);
  return { tookMs: performance.now() - started, exit: String(code ?? signal) };
}

function residentMb(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
