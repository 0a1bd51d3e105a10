import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { readImage } from "../test/container-file.ts";

const script = join(import.meta.dirname, "enter-image.sh");

export interface EnteredImage {
  /** The prefix that makes a command run as in a container. */
  prefix: [string, ...string[]];
  run(command: string[], env: Record<string, string>): { code: number | null; output: string };
}

export function enterImage(image: string, secrets: string): EnteredImage {
  const view = [image, secrets, realpathSync(process.execPath), readImage().user];
  const prefix: EnteredImage["prefix"] = ["unshare", "--mount", "--propagation", "private", "sh", script, ...view];
  return {
    prefix,
    run(command, env) {
      const [program, ...args] = prefix;
      const { status, stdout, stderr } = spawnSync(program, [...args, ...command], {
        env: withPath(env),
        encoding: "utf8",
        timeout: 60_000,
      });
      return { code: status, output: `${stdout}${stderr}` };
    },
  };
}

/** PATH for enter-image.sh itself; the script sets the PATH of the image. */
export function withPath(env: Record<string, string>): Record<string, string> {
  return { ...env, PATH: process.env.PATH ?? "" };
}

const probe = `
const { mkdirSync, readFileSync, writeFileSync, existsSync } = require("node:fs");
const codeOf = (work) => { try { work(); return "written"; } catch ({ code }) { return code; } };
const folders = ["/", "/app", "/app/service/src", "/tmp", "/run/secrets", "/usr", "/etc"];
const status = readFileSync("/proc/self/status", "utf8");
const field = (name) => new RegExp(name + ":\\\\s*(\\\\S+)").exec(status)[1];
console.log(JSON.stringify({
  writing: [...new Set(folders.map((folder) => codeOf(() => writeFileSync(folder + "/probe", ""))))],
  user: [process.getuid(), process.getgid(), ...process.getgroups()].join(" "),
  capabilities: ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map(field).filter((bits) => !/^0+$/.test(bits)),
  noNewPrivileges: field("NoNewPrivs"),
  clone: existsSync(process.argv[1]),
}));`;

/** Checks the isolation itself: with a writable or privileged view the proof would mean nothing. Returns the problems. */
export function findIsolationProblems(entered: EnteredImage, clone: string): string[] {
  const { code, output } = entered.run(["node", "-e", probe, clone], {});
  if (code !== 0) return [`enter-image.sh failed: ${output}`];
  const seen = JSON.parse(output);
  const [user = "", group = ""] = readImage().user.split(":");
  return [
    ...(JSON.stringify(seen.writing) === '["EROFS"]' ? [] : [`writing a file gives ${seen.writing} instead of EROFS`]),
    ...(seen.user === `${user} ${group}` || seen.user === `${user} ${group} ${group}`
      ? []
      : [`the user is ${seen.user}`]),
    ...seen.capabilities.map((bits: string) => `the process has capabilities ${bits}`),
    ...(seen.noNewPrivileges === "1" ? [] : ["the process can gain privileges"]),
    ...(seen.clone ? ["the process can see the clone"] : []),
  ];
}
