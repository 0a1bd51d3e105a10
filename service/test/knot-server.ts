import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "./free-port.ts";

interface KnotServer {
  /** `ip:port`, over UDP and TCP. */
  address: string;
  /** Puts exactly these records at a name of the zone, for example `TXT "hello"`; none removes the name. */
  publish(name: string, ...records: string[]): Promise<void>;
  /** The number of queries since the start; a retry over TCP counts as one more. */
  countQueries(): Promise<number>;
  stop(): Promise<void>;
}

const programs = { server: "knotd", control: "knotc" };
// Debian installs them in a folder that is not in an ordinary user's PATH.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
const run = promisify(execFile);

/** A DNS server with one zone for the calling test file. It refuses other names and answers SERVFAIL for `broken`. */
export function useKnotServer(zone = "test"): Omit<KnotServer, "stop"> {
  let server: KnotServer | undefined;
  beforeAll(async () => {
    server = await startKnot(zone);
  });
  afterAll(() => server?.stop());

  const current = () => {
    if (server === undefined) throw new Error("the DNS server runs only inside tests");
    return server;
  };
  return {
    get address() {
      return current().address;
    },
    publish: (name, ...records) => current().publish(name, ...records),
    countQueries: () => current().countQueries(),
  };
}

/** Another process can take the free port before knotd binds it, so knotd gets up to three tries. */
export async function startKnot(zone: string, triesLeft = 2): Promise<KnotServer> {
  const folder = mkdtempSync(join(tmpdir(), "postern-knot-"));
  const port = await freePort();
  writeFileSync(join(folder, "knot.conf"), configuration(folder, port, zone));
  writeZone(folder, zone, 1, new Map());

  const child = spawn(programs.server, ["-c", join(folder, "knot.conf")], { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderrTail = "";
  child.stderr.on("data", (chunk) => {
    stderrTail = `${stderrTail}${chunk}`.slice(-4000);
  });
  const ended = new Promise<void>((resolve) => {
    child.on("exit", () => resolve());
    child.on("error", () => resolve());
  });
  const control = (...command: string[]) =>
    run(programs.control, ["-s", join(folder, "knot.sock"), ...command], { env });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };

  if (!(await isReady(child, () => control("-b", "zone-reload", zone)))) {
    await stop();
    if (child.pid === undefined)
      throw new Error("knotd, the DNS server of these tests, is not installed: apt-get install knot");
    if (triesLeft > 0 && stderrTail.includes("cannot bind")) return startKnot(zone, triesLeft - 1);
    throw new Error(`knotd did not start:\n${stderrTail}`);
  }
  return { address: `127.0.0.1:${port}`, ...zoneOf(folder, zone, control, () => stderrTail), stop };
}

type Control = (...command: string[]) => Promise<{ stdout: string }>;

function zoneOf(folder: string, zone: string, control: Control, stderrTail: () => string) {
  const published = new Map<string, string[]>();
  let serial = 1;
  let lastPublish: Promise<unknown> = Promise.resolve();
  const publish = async (name: string, records: string[]) => {
    // knotd would drop the record without an error.
    if (!name.endsWith(`.${zone}`)) throw new Error(`${name} is not in the zone ${zone}`);
    published.set(name, records);
    serial += 1;
    writeZone(folder, zone, serial, published);
    // -b waits until knotd serves the zone, or fails and keeps the former one.
    await control("-b", "zone-reload", zone).catch(() => {
      published.delete(name);
      throw new Error(`knotd refused the records of ${name}:\n${stderrTail()}`);
    });
  };
  return {
    publish(name: string, ...records: string[]): Promise<void> {
      const done = lastPublish.then(() => publish(name, records));
      lastPublish = done.catch(() => undefined);
      return done;
    },
    async countQueries(): Promise<number> {
      const { stdout } = await control("stats");
      return Number(/operation\[query\] = (\d+)/.exec(stdout)?.[1] ?? 0);
    },
  };
}

function writeZone(folder: string, zone: string, serial: number, published: Map<string, string[]>) {
  const lines = [...published].flatMap(([name, records]) => records.map((record) => `${name}. ${record}`));
  const head = ["$TTL 0", `${zone}. SOA ns.${zone}. admin.${zone}. ${serial} 60 60 60 0`, `${zone}. NS ns.${zone}.`];
  writeFileSync(join(folder, "served.zone"), `${[...head, `ns.${zone}. A 127.0.0.1`, ...lines].join("\n")}\n`);
}

function configuration(folder: string, port: number, zone: string): string {
  return `
server:
    rundir: "${folder}"
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stderr
    any: error
database:
    storage: "${folder}"
mod-stats:
  - id: default
template:
  - id: default
    storage: "${folder}"
    global-module: mod-stats
    journal-content: none
zone:
  - domain: ${zone}.
    file: served.zone
  # A zone without a file cannot be loaded, and knotd answers SERVFAIL for it.
  - domain: broken.
    file: missing.zone
`;
}

async function isReady(child: { exitCode: number | null; pid?: number | undefined }, reload: () => Promise<unknown>) {
  for (let tries = 0; tries < 200 && child.pid !== undefined && child.exitCode === null; tries++) {
    const isServing = await reload().then(
      () => true,
      () => false,
    );
    if (isServing) return true;
    await pause(50);
  }
  return false;
}
