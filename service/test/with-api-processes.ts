import { type Config, type Environment, readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { type CredentialDeps, createCredentialDeps } from "../src/processes/api-deps.ts";
import { type PosternProcess, spawnPostern } from "./spawn-postern.ts";
import { copyTemplate, openTestDatabase } from "./template-database.ts";
import { anEnvironment } from "./test-config.ts";

interface ApiProcesses {
  db: Database;
  processes: PosternProcess[];
  /** Creates logins and keys with the secrets of these processes. */
  credentialDeps: CredentialDeps;
}

/** Real API processes on one new database, for proofs. */
export async function withApiProcesses<Result>(
  serverUrl: string,
  count: number,
  work: (fixture: ApiProcesses) => Promise<Result>,
  /** The address at which the processes find the database, for a proxy before it. */
  databaseUrlOf: (url: string) => string = (url) => url,
): Promise<Result> {
  const copy = await copyTemplate(serverUrl);
  const environment: Environment = anEnvironment({
    DATABASE_URL: databaseUrlOf(copy.url),
    AWS_FEEDBACK_TOPIC_ARN: "arn:aws:sns:eu-central-1:000000000000:postern-AA",
  });
  const config: Config = readConfig(environment);
  const db = openTestDatabase(copy.url);
  const processes: PosternProcess[] = [];
  try {
    for (let started = 0; started < count; started++)
      processes.push(await spawnPostern("api", { ...environment, LOG_LEVEL: "info" }));
    return await work({
      db,
      processes,
      credentialDeps: createCredentialDeps(config),
    });
  } finally {
    for (const { kill, exited } of processes) {
      kill("SIGKILL");
      await exited;
    }
    await db.close();
    await copy.drop();
  }
}
