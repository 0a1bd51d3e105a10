import { relative } from "node:path";
import { styleText } from "node:util";
import { type SeededAccount, seededEmail } from "./seed-account.ts";
import { seededDomain } from "./seed-domain.ts";
import type { StateFolder } from "./state-folder.ts";

export interface Addresses {
  apiUrl: string;
  simulatorUrl: string;
  /** False in a clone in which nobody ran `npm run build -w console`. */
  hasConsole: boolean;
}

const bold = (text: string) => styleText("bold", text);

/** Only what a new user needs in the first five minutes. */
export function welcomeText(
  { apiUrl, simulatorUrl, hasConsole }: Addresses,
  { password, testKey }: SeededAccount,
  state: StateFolder,
): string {
  const folder = shortPath(state.path);
  const console = hasConsole ? `${apiUrl}/` : "not built: stop, run `npm run build -w console`, start again";
  return `
  ${bold("Console")}    ${console}
  ${bold("Log in")}     ${seededEmail}   ${password}
  ${bold("API")}        ${apiUrl}
  ${bold("Reference")}  ${apiUrl}/reference
  ${bold("Mail view")}  ${simulatorUrl}/   live and test mail
  ${bold("State")}      ${folder}   logs: ${folder}/logs   addresses and keys for a shell: . ${folder}/env

Send a mail from another terminal:

${sendCommands(apiUrl, testKey, "hello@sandbox.test", "delivered@sandbox.test")}

Check its status:

curl -s ${apiUrl}/api/v1/sends -H "X-API-Key: $KEY"

Mail to bounced@sandbox.test bounces; the next one to that address is suppressed. ${bold("Ctrl-C stops everything.")}
`;
}

export function liveMailText({ apiUrl }: Addresses, { liveKey }: SeededAccount): string {
  return `${styleText("green", "✓")} live mail from ${seededDomain}: ready. With the live key it goes through the simulated SES:

${sendCommands(apiUrl, liveKey, `hello@${seededDomain}`, "jane@example.com")}
`;
}

function sendCommands(apiUrl: string, key: string, from: string, to: string): string {
  return `KEY=${key}
curl -s ${apiUrl}/api/v1/send -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"from":"${from}","to":["${to}"],"subject":"Hello","text":"It works."}'`;
}

/** The settings of `postern status` and `postern admin`. Settings with common names, such as PORT, would change other programs. */
const commandSettings = ["DATABASE_URL", "API_KEY_PEPPER", "AWS_FEEDBACK_QUEUE_URL"];

/** The content of `.postern/env`, which a shell reads with `. .postern/env`. */
export function shellSettings(
  { apiUrl, simulatorUrl }: Addresses,
  account: SeededAccount,
  environment: Record<string, string>,
): string {
  const values = {
    POSTERN_URL: apiUrl,
    POSTERN_API_KEY: account.testKey,
    POSTERN_LIVE_KEY: account.liveKey,
    POSTERN_EMAIL: seededEmail,
    POSTERN_PASSWORD: account.password,
    POSTERN_MAIL_VIEW: simulatorUrl,
    ...Object.fromEntries(commandSettings.map((name) => [name, environment[name] ?? ""])),
  };
  return Object.entries(values)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join("");
}

export function shortPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") ? path : near;
}
