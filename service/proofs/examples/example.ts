import type { Project } from "../../../sdk/test/install-package.ts";
import type { Terminal } from "../../test/printed-commands.ts";
import type { OwnAccounts } from "./own-accounts.ts";

/** One example of the documentation. `run` throws when it does not do what the text says. */
export interface Example {
  name: string;
  run(context: ExampleContext): Promise<void>;
}

/** What the examples run against: a `postern dev` with the variables of its `.postern/env`. */
export interface ExampleContext {
  environment: Record<string, string>;
  project: Project;
  terminal: Terminal;
  accounts: OwnAccounts;
  /** Sends a request as the user of the account, with a JWT. */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

export function requireThat(condition: boolean, problem: string): void {
  if (!condition) throw new Error(problem);
}
