import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { environmentSchema } from "../../service/src/environment-schema.ts";
import { root } from "./container-file.ts";

/** Read by the AWS SDK and by Node themselves. */
const settingsOfOthers = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "NODE_ENV"];

/** A misspelt setting would be ignored without a word, so every name in deploy/ is held against this. */
export function isKnownSetting(name: string): boolean {
  return settingsOfOthers.includes(name) || name.replace(/_FILE$/, "") in environmentSchema.shape;
}

/** The commands that `postern --help` names. */
export function knownCommands(): string[] {
  const help = execFileSync(process.execPath, [join(root, "service/src/cli/postern.ts"), "--help"], {
    encoding: "utf8",
  });
  return [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
}
