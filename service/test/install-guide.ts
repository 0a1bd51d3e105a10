import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { blocksUnder, openTerminal, root, type StartedCommand } from "./printed-commands.ts";

/** One printed command that a walk ran. */
export interface Step {
  section: "quick start" | "SDK" | "run it" | "simulator";
  command: string;
  seconds: number;
}

export interface InstallWalk {
  steps: Step[];
  /** The answer to the last command of "Run it". */
  sends: { status: string; to_addresses: string[] }[];
  /** The domains at the end of "Without an AWS account"; empty without the simulator. */
  domains: { domain_name: string; verification_status: string }[];
}

interface WalkOptions {
  serverUrl: string;
  /** Follows "Without an AWS account" as well. */
  withSimulator?: boolean;
  /** A clone with installed packages. The default is a temporary folder with the packages of this clone. */
  clone?: string;
}

const verifiedWithinMs = 60_000;

/**
 * Runs the commands of docs/install.md as printed. Only these values differ: DATABASE_URL, which the guide asks to set, the ports,
 * so that several walks can run at once, and the password and key, which the guide says to fill in.
 */
export async function walkInstallGuide(options: WalkOptions): Promise<InstallWalk> {
  const { serverUrl, withSimulator = false, clone } = options;
  const folder = clone ?? aFolderWithPackages();
  const database = new URL(serverUrl);
  database.pathname = `/postern_install_${randomBytes(6).toString("hex")}`;
  const terminal = openTerminal(folder, { PORT: "0", OPERATIONS_PORT: "0" });
  const steps: Step[] = [];
  const started: StartedCommand[] = [];
  let section: Step["section"] = "run it";
  const timed = <Result>(command: string, work: Promise<Result>) => time(steps, section, command, work);
  const run = (command: string, script = command) => timed(command, terminal.run(script));
  const start = async (command: string, script: string, isReady: RegExp) => {
    const running = await timed(command, terminal.start(script, isReady));
    started.push(running);
    return running.output();
  };
  const env = join(folder, ".env");
  const append = (lines: string) => writeFileSync(env, `${readFileSync(env, "utf8")}\n${lines}\n`);

  const [prepare = "", create = "", send = ""] = blocksUnder("docs/install.md", "Run it");
  const [register = "", list = ""] = blocksUnder("docs/install.md", "Without an AWS account");
  const [, copy = "", secrets = ""] = prepare.split("\n");
  const [migrate = "", createAccount = "", serve = ""] = create.split("\n");
  try {
    await run(copy);
    await run(secrets);
    writeFileSync(env, readFileSync(env, "utf8").replace(/^DATABASE_URL=.*$/m, `DATABASE_URL=${database.href}`));
    let simulatorUrl = "";
    if (withSimulator) {
      section = "simulator";
      const text = await start("npx ses-simulator", "npx ses-simulator --port 0", /Send a first mail[\s\S]*-d /);
      append([...text.matchAll(/^ *(export \w+=\S+)$/gm)].map(([, line]) => line).join("\n"));
      simulatorUrl = /Mail view +(\S+)\//.exec(text)?.[1] ?? "";
      section = "run it";
    }
    await run(migrate);
    const account = await run(createAccount);
    const [password, key] = ["Password", "Key"].map(
      (name) => new RegExp(`^${name} +(\\S+)$`, "m").exec(account)?.[1] ?? "",
    );
    if (withSimulator) {
      section = "simulator";
      append((await run("npx postern aws setup")).split(".env:")[1] ?? "");
      section = "run it";
    }
    const address = /"address":"([^"]+)"/.exec(await start(serve, serve, /"event":"serve.started"/))?.[1] ?? "";
    const filled = (text: string) =>
      text
        .replaceAll("http://localhost:3000", address)
        .replaceAll("http://127.0.0.1:4579", simulatorUrl)
        .replace("the key it printed", key ?? "")
        .replace("the password it printed", password ?? "");
    const sends = lastJson(await run(send, filled(send))).data.sends;
    if (!withSimulator) return { steps, sends, domains: [] };
    section = "simulator";
    const token = lastLine(await run(register, `${filled(register)}\necho; echo $TOKEN`));
    const listing = filled(list).replace("$TOKEN", token);
    const domains = await timed(
      list,
      untilVerified(async () => lastJson(await terminal.run(listing))),
    );
    return { steps, sends, domains };
  } finally {
    for (const running of started.toReversed()) await running.stop();
    await drop(serverUrl, database.pathname.slice(1));
    if (clone === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one printed command and notes how long it took. */
export async function time<Result>(
  steps: Step[],
  section: Step["section"],
  command: string,
  work: Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const result = await work;
  steps.push({ section, command: command.split("\n")[0] ?? "", seconds: (performance.now() - begun) / 1000 });
  return result;
}

function aFolderWithPackages(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-install-"));
  cpSync(join(root, ".env.example"), join(folder, ".env.example"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

async function untilVerified(list: () => Promise<InstallWalk["domains"]>): Promise<InstallWalk["domains"]> {
  for (const deadline = performance.now() + verifiedWithinMs; ; await new Promise((next) => setTimeout(next, 500))) {
    const domains = await list();
    const isVerified = domains.some(({ verification_status }) => verification_status === "Success");
    if (isVerified || performance.now() > deadline) return domains;
  }
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}

function lastJson(output: string) {
  return JSON.parse(lastLine(output));
}

async function drop(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}
