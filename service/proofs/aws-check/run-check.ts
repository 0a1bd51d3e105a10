import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fixOf } from "../../src/cli/aws-advice.ts";
import { allChecks } from "../../src/cli/aws-check/all-checks.ts";
import { setUpCheckOptions } from "../../src/cli/aws-options.ts";
import type { Environment } from "../../src/config.ts";
import { readCheckConfig } from "../../src/config.ts";
import { checkDomain } from "../../test/simulated-aws.ts";
import { posternPath } from "../../test/spawn-postern.ts";

export interface Reported {
  check: string;
  state: string;
  what: string;
  fix?: string;
}

export interface CheckRun {
  findings: Reported[];
  exitCode: number;
}

const from = `hello@${checkDomain}`;

/** The checks of the command in this process, which spares the start of Node. */
export async function runInProcess(environment: Environment, timeoutMs: number): Promise<CheckRun> {
  const config = readCheckConfig(environment);
  const findings: Reported[] = [];
  for await (const finding of allChecks({
    setUp: setUpCheckOptions(config),
    dnsServers: config.dnsServers,
    from,
    timeoutMs,
    settleMs: 0,
    certificateOrigin: config.provider.endpoints.sns,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  })) {
    const { check, state, what } = finding;
    findings.push({ check, state, what, ...fixOf(finding) });
  }
  return { findings, exitCode: findings.some(({ state }) => state === "problem") ? 1 : 0 };
}

/** The command itself, as an operator or a program runs it. */
export async function runCommand(environment: Environment, timeoutMs: number): Promise<CheckRun> {
  const cwd = mkdtempSync(join(tmpdir(), "postern-aws-check-"));
  const seconds = String(Math.max(1, Math.round(timeoutMs / 1000)));
  const child = spawn(process.execPath, [posternPath, "aws", "check", "--from", from, "--json", "--timeout", seconds], {
    cwd,
    env: {
      HOME: cwd,
      AWS_EC2_METADATA_DISABLED: "true",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const [stdout, [exitCode]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const { findings }: { findings: Reported[] } = JSON.parse(stdout);
  return { findings, exitCode };
}
