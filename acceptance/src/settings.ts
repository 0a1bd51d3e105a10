import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

export const help = `npm run acceptance -- --base-url URL --admin-email EMAIL [options]

Shows over HTTP, sentence by sentence, that a deployment keeps the published interface.

  --base-url URL               where the API answers
  --admin-email EMAIL          a user of an account with the usual send limits
  --admin-password-file FILE   its password; or in ACCEPTANCE_PASSWORD
  --other-email EMAIL          a user of a second account, for what must stay apart and for the rate limits
  --other-password-file FILE   its password; or in OTHER_PASSWORD
  --verified-domain NAME       a domain of the first account that is verified; names below it are registered and removed
  --failed-domain NAME         a domain of the first account whose verification failed
  --simulator-url URL          the ses-simulator behind the deployment, to see what reached the provider
  --only NUMBERS               sections or sentences, with commas between them: 4.1,8-03
  --allow-missing              a sentence that could not be shown does not make the run red
  --report FILE                writes the totals as JSON
  --list                       lists the sentences and does nothing else

Passwords are not taken as arguments: every user of the machine could read them in the list of processes.`;

const options = {
  "base-url": { type: "string" },
  "admin-email": { type: "string" },
  "admin-password-file": { type: "string" },
  "other-email": { type: "string" },
  "other-password-file": { type: "string" },
  "verified-domain": { type: "string" },
  "failed-domain": { type: "string" },
  "simulator-url": { type: "string" },
  only: { type: "string" },
  "allow-missing": { type: "boolean", default: false },
  report: { type: "string" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

export interface Login {
  email: string;
  password: string;
}

export interface Settings {
  baseUrl: string;
  admin: Login;
  other: Login | undefined;
  verifiedDomain: string | undefined;
  failedDomain: string | undefined;
  simulatorUrl: string | undefined;
  only: string[];
  allowMissing: boolean;
  reportFile: string | undefined;
}

/** Thrown for what the user can put right; its text says how. */
export class UsageError extends Error {}

export function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings | "list" | "help" {
  const given = parse(args);
  if (given.help) return "help";
  if (given.list) return "list";
  const { "base-url": baseUrl, "admin-email": adminEmail, "other-email": otherEmail } = given;
  if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new UsageError("--base-url must be an address.");
  if (adminEmail === undefined) throw new UsageError("--admin-email is missing.");
  const admin = loginOf("admin", adminEmail, given["admin-password-file"], env.ACCEPTANCE_PASSWORD);
  const other =
    otherEmail === undefined
      ? undefined
      : loginOf("other", otherEmail, given["other-password-file"], env.OTHER_PASSWORD);
  return {
    baseUrl,
    admin,
    other,
    verifiedDomain: given["verified-domain"],
    failedDomain: given["failed-domain"],
    simulatorUrl: given["simulator-url"],
    only: given.only?.split(",") ?? [],
    allowMissing: given["allow-missing"],
    reportFile: given.report,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function loginOf(who: "admin" | "other", email: string, file: string | undefined, inEnvironment: string | undefined) {
  const password = file === undefined ? inEnvironment : readFileSync(file, "utf8").trim();
  if (password !== undefined && password !== "") return { email, password };
  const variable = who === "admin" ? "ACCEPTANCE_PASSWORD" : "OTHER_PASSWORD";
  throw new UsageError(`The password of ${email} is missing: set ${variable} or give --${who}-password-file.`);
}
