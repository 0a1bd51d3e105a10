import { randomBytes } from "node:crypto";
import { type Account, logIn } from "./account.ts";
import { type Answer, createClient, type HttpClient } from "./client.ts";
import type { Settings } from "./settings.ts";
import { createSimulatorView, type SimulatorView } from "./simulator-view.ts";

/** The suite cannot check a requirement because the caller did not pass an option. */
export class MissingOption extends Error {
  constructor(option: string) {
    super(`needs ${option}`);
  }
}

/** The deployment under test and the accounts, options and unique names of one run. */
export interface RunContext {
  request: HttpClient;
  admin: Account;
  /** Requests a log-in of the first user, by default with the correct password. */
  requestLogIn(password?: string): Promise<Answer>;
  /** The second account. This function and the next four throw `MissingOption` when the caller did not pass the option. */
  other(): Account;
  verifiedDomain(): string;
  failedDomain(): string;
  removableDomain(): string;
  simulator(): SimulatorView;
  /** A new sandbox address. Its local part selects the outcome of a mail to it. */
  recipient(outcome: string): string;
  /** An unregistered subdomain of the verified domain. */
  freshDomain(): string;
  cleanUp(): Promise<string[]>;
}

export async function openRunContext(settings: Settings): Promise<RunContext> {
  const request = createClient(settings.baseUrl);
  const admin = await logIn(request, settings.admin);
  const other = settings.other && (await logIn(request, settings.other));
  const simulator = settings.simulatorUrl === undefined ? undefined : createSimulatorView(settings.simulatorUrl);
  const runId = randomBytes(4).toString("hex");
  let count = 0;
  const required =
    <Value>(value: Value | undefined, option: string) =>
    () => {
      if (value === undefined) throw new MissingOption(option);
      return value;
    };

  const verifiedDomain = required(settings.verifiedDomain, "--verified-domain");
  return {
    request,
    admin,
    requestLogIn: (password = settings.admin.password) =>
      request("POST", "/api/v1/auth/login", { body: { email: settings.admin.email, password } }),
    other: required(other, "--other-email"),
    verifiedDomain,
    failedDomain: required(settings.failedDomain, "--failed-domain"),
    removableDomain: required(settings.removableDomain, "--removable-domain"),
    simulator: required(simulator, "--simulator-url"),
    recipient: (outcome) => `${outcome}+${runId}-${++count}@sandbox.test`,
    freshDomain: () => `a${runId}-${++count}.${verifiedDomain()}`,
    cleanUp: async () => {
      const isFromThisRun = (address: string) => address.includes(`+${runId}-`);
      return [...(await admin.cleanUp(isFromThisRun)), ...((await other?.cleanUp(isFromThisRun)) ?? [])];
    },
  };
}
