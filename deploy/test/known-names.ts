import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { environmentSchema } from "../../service/src/environment-schema.ts";
import { root } from "./container-file.ts";

/** Settings that the AWS SDK and Node read themselves. */
const externalSettings = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "HOME", "NODE_ENV"];

/** Postern ignores unknown variables, so the tests check every name in deploy/ for spelling. */
export function isKnownSetting(name: string): boolean {
  return externalSettings.includes(name) || name.replace(/_FILE$/, "") in environmentSchema.shape;
}

/** The commands in the output of `postern --help`. */
export function knownCommands(): string[] {
  const help = execFileSync(process.execPath, [join(root, "service/src/cli/postern.ts"), "--help"], {
    encoding: "utf8",
  });
  return [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
}
