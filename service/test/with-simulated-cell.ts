import type { SesSimulator } from "@postern/ses-simulator";
import type { ApiKeyIssuer } from "../src/api-keys/create-api-key.ts";
import { type Environment, readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { createCredentialDeps } from "../src/processes/api-deps.ts";
import { copyTemplate, openTestDatabase } from "./template-database.ts";
import { anEnvironment, simulatorSettings } from "./test-config.ts";

interface SimulatedCell {
  db: Database;
  url: string;
  /** The environment of real processes of this cell, with the simulator as provider. */
  environment: Environment;
  /** Create logins and keys that those processes accept. */
  loginDeps: LoginDeps;
  apiKeyIssuer: ApiKeyIssuer;
}

/** A database and settings for processes with the simulator as provider, for proofs. */
export async function withSimulatedCell<Result>(
  serverUrl: string,
  simulator: SesSimulator,
  work: (cell: SimulatedCell) => Promise<Result>,
): Promise<Result> {
  const copy = await copyTemplate(serverUrl);
  const db = openTestDatabase(copy.url);
  const environment = anEnvironment({
    DATABASE_URL: copy.url,
    ...simulatorSettings(simulator),
    LOG_LEVEL: "info",
  });
  process.env.AWS_ACCESS_KEY_ID ??= "simulator";
  process.env.AWS_SECRET_ACCESS_KEY ??= "simulator";
  const cleanUp = async () => {
    await db.close();
    await copy.drop();
  };
  try {
    const result = await work({ db, url: copy.url, environment, ...createCredentialDeps(readConfig(environment)) });
    await cleanUp();
    return result;
  } catch (error) {
    // PostgreSQL may be down: that is not what failed.
    await cleanUp().catch(() => undefined);
    throw error;
  }
}
