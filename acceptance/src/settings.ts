import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

export const help = `npm run acceptance -- --base-url URL --admin-email EMAIL [options]

Checks over HTTP that a deployment meets every requirement of the published interface.

  --base-url URL               base URL of the API
  --admin-email EMAIL          a user of an account with the default send limits
  --admin-password-file FILE   file with the password; alternative: ACCEPTANCE_PASSWORD
  --other-email EMAIL          a user of a second account, for account isolation and rate limits
  --other-password-file FILE   file with the password; alternative: OTHER_PASSWORD
  --verified-domain NAME       a verified domain of the first account; the run registers and removes subdomains
  --failed-domain NAME         a domain of the first account whose verification failed
  --removable-domain NAME      another verified domain of the first account; the run removes it
  --simulator-url URL          the ses-simulator behind the deployment, to read what the provider received
  --only NUMBERS               sections or requirements, separated by commas: 4.1,8-03
  --allow-missing              skipped requirements do not fail the run
  --report FILE                writes the totals as JSON
  --list                       lists the requirements and exits

The suite takes no passwords as arguments, because every user of the machine can read the arguments of a process.`;

const options = {
  "base-url": { type: "string" },
  "admin-email": { type: "string" },
  "admin-password-file": { type: "string" },
  "other-email": { type: "string" },
  "other-password-file": { type: "string" },
  "verified-domain": { type: "string" },
  "failed-domain": { type: "string" },
  "removable-domain": { type: "string" },
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
  removableDomain: string | undefined;
  simulatorUrl: string | undefined;
  only: string[];
  allowMissing: boolean;
  reportFile: string | undefined;
}

/** An error that the user can fix. The message says how. */
export class UsageError extends Error {}

export function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings | "list" | "help" {
  const values = parse(args);
  if (values.help) return "help";
  if (values.list) return "list";
  const { "base-url": baseUrl, "admin-email": adminEmail, "other-email": otherEmail } = values;
  if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new UsageError("--base-url must be a URL.");
  if (adminEmail === undefined) throw new UsageError("--admin-email is missing.");
  const admin = loginOf("admin", adminEmail, values["admin-password-file"], env.ACCEPTANCE_PASSWORD);
  const other =
    otherEmail === undefined
      ? undefined
      : loginOf("other", otherEmail, values["other-password-file"], env.OTHER_PASSWORD);
  return {
    baseUrl,
    admin,
    other,
    verifiedDomain: values["verified-domain"],
    failedDomain: values["failed-domain"],
    removableDomain: values["removable-domain"],
    simulatorUrl: values["simulator-url"],
    only: values.only?.split(",") ?? [],
    allowMissing: values["allow-missing"],
    reportFile: values.report,
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
  throw new UsageError(`The password of ${email} is missing: set ${variable} or pass --${who}-password-file.`);
}
