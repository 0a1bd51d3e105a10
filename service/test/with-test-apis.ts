import { Writable } from "node:stream";
import type { ApiDeps, ApiServer } from "../src/api/http/api-server.ts";
import { createApiServer } from "../src/api/http/create-api-server.ts";
import type { Environment } from "../src/config.ts";
import { readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { createLog } from "../src/log.ts";
import { createMetrics } from "../src/metrics.ts";
import { openAcceptDeps } from "../src/processes/accept-deps.ts";
import { createApiDeps } from "../src/processes/api-deps.ts";
import { copyTemplate, openTestDatabase } from "./template-database.ts";
import { anEnvironment } from "./test-config.ts";

export interface TestApi {
  app: ApiServer;
  deps: ApiDeps;
}

interface TestApis<Name extends string> {
  db: Database;
  apis: Record<Name, TestApi>;
  logLines: string[];
}

/** Several API servers on one new database, for proofs. They share all secrets that `environments` does not set. */
export async function withTestApis<Name extends string, Result>(
  serverUrl: string,
  environments: Record<Name, Environment>,
  work: (fixture: TestApis<Name>) => Promise<Result>,
): Promise<Result> {
  const copy = await copyTemplate(serverUrl);
  const db = openTestDatabase(copy.url);
  const logLines: string[] = [];
  const common = anEnvironment({ LOG_LEVEL: "debug" });
  const apis: Record<string, TestApi> = {};
  try {
    for (const [name, environment] of Object.entries<Environment>(environments)) {
      apis[name] = await startTestApi(db, { ...common, ...environment }, logLines);
    }
    return await work({ db, apis, logLines });
  } finally {
    for (const { app } of Object.values(apis)) await app.close();
    await db.close();
    await copy.drop();
  }
}

/** One API server in this process that appends its log lines to `logLines`. */
export async function startTestApi(db: Database, environment: Environment, logLines: string[]): Promise<TestApi> {
  const config = readConfig(environment);
  const log = createLog(config.logLevel, new Writable({ write: collectLines(logLines) }));
  const acceptDeps = await openAcceptDeps(config, db);
  const deps = createApiDeps(config, { db, log, metrics: createMetrics(), domainDeps: undefined, acceptDeps });
  return { app: await createApiServer(deps), deps };
}

function collectLines(lines: string[]) {
  return (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(chunk.toString());
    done();
  };
}
