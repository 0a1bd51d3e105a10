import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Docker } from "../../engine/docker.ts";
import { root } from "../../test/container-file.ts";
import { type Caller, call } from "./caller.ts";
import { longestWaitSeconds } from "./steps.ts";

/** Runs `docker compose` in a copy of deploy/, so that an operator's own .env and secrets stay untouched. */
export function createCompose(docker: Docker, cwd: string, files: string[]) {
  const named = files.flatMap((file) => ["-f", file]);
  return (args: string[], timeoutSeconds = longestWaitSeconds) =>
    docker(["compose", ...named, ...args], { cwd, timeoutSeconds });
}

export type Compose = ReturnType<typeof createCompose>;

/** Adds the two lines that `postern aws setup` prints. */
export function addFeedbackSettings(envFile: string, printed: string): void {
  const lines = printed.match(/^AWS_FEEDBACK_\w+=.*$/gm) ?? [];
  if (lines.length !== 2) throw new Error(`aws setup did not print two settings: ${printed}`);
  writeFileSync(envFile, `${readFileSync(envFile, "utf8").trimEnd()}\n${lines.join("\n")}\n`);
}

/** An account without the limits of a new one, and a caller with its user's token. */
export async function createUser(postern: (args: string[]) => Promise<string>, urls: string[]) {
  const email = "ada@example.com";
  const create = ["admin", "create-account", "--name", "Acme", "--email", email, "--with-key", "test"];
  const printed = await postern(create);
  const password = /^Password (\S+)$/m.exec(printed)?.[1] ?? "";
  const testKey = /^Key\s+(\S+)$/m.exec(printed)?.[1] ?? "";
  const limits = ["--per-second", "1000", "--per-10-seconds", "10000", "--per-minute", "60000"];
  await postern(["admin", "set-limits", "--email", email, ...limits]);
  const { access_token: token } = await call({ urls, headers: {} }, "/api/v1/auth/login", { email, password });
  const user: Caller = { urls, headers: { authorization: `Bearer ${String(token)}` } };
  const test: Caller = { urls, headers: { "x-api-key": testKey } };
  const live = async (): Promise<Caller> => {
    const made = await postern(["admin", "create-key", "--account", email, "--type", "live", "--name", "production"]);
    return { urls, headers: { "x-api-key": /^Key\s+(\S+)$/m.exec(made)?.[1] ?? "" } };
  };
  return { user, test, live };
}

export const deployFolder = join(root, "deploy");
