import { setTimeout as pause } from "node:timers/promises";
import { quotaRefreshMs } from "../accept/quotas.ts";
import { consoleFolder, readConsoleFiles } from "../api/http/console/console-files.ts";
import { createApiServer } from "../api/http/create-api-server.ts";
import { type Config, readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { requireAccountRole } from "../db/require-usable.ts";
import type { Log } from "../log.ts";
import { startTicker } from "../loops/ticker.ts";
import { startUsageTicker } from "../usage/usage-ticker.ts";
import { resealEndpointSecrets } from "../webhooks/reseal-secrets.ts";
import { acceptConnections, attachmentConnections, openAcceptDeps } from "./accept-deps.ts";
import { createApiDeps } from "./api-deps.ts";
import { openDomainDeps } from "./domain-deps.ts";
import { openFeedbackPush, openFeedbackReceiver } from "./feedback-sources.ts";
import { explainListenError } from "./listen-error.ts";
import { runProcess, type StartContext } from "./run-process.ts";
import { trackConnections } from "./track-connections.ts";
import { warnAboutUnusableKeys } from "./warn-about-unusable-keys.ts";

export function runApi(): Promise<void> {
  return runProcess("api", (env) => readConfig(env, "postern api"), startApi);
}

export async function startApi({ config, db, openDatabase, log, metrics, started }: StartContext<Config>) {
  await requireAccountRole(db);
  await warnAboutUnusableKeys(db, config.secrets.apiKeyPepper, log);
  const acceptDeps = await openAcceptDeps(
    config,
    openDatabase("accept", acceptConnections),
    openDatabase("attachments", attachmentConnections),
  );
  const quotas = startTicker({
    pauseMs: quotaRefreshMs,
    run: () => acceptDeps.quotas.refresh(),
    onFailure: (err) => log.warn({ err }, "quotas.refresh-failed"),
  });
  started.addResource(() => quotas.stop());
  const push = openFeedbackPush(config);
  const feedbackEndpoint = push && { push, receive: await openFeedbackReceiver({ db, log, metrics }) };
  const domains = openDomainDeps(config, db, log);
  if (domains === undefined) log.warn({ missing: "AWS_FEEDBACK_TOPIC_ARN" }, "aws.not-set-up");
  else started.addResource(() => domains.close());
  const consoleFiles = readConsoleFiles(consoleFolder);
  const opened = { db, log, metrics, domainDeps: domains?.deps, acceptDeps, feedbackEndpoint, consoleFiles };
  const isStopping = () => started.isStopping;
  const deps = createApiDeps(config, { ...opened, isStopping });
  await deps.loginDeps.openTotpKey(db);
  await resealWebhooks(db, config, log);
  const api = await createApiServer(deps);
  const connections = trackConnections(api.server);
  const usage = startUsageTicker({ db, log, refusalCounts: deps.refusalCounts });
  started.addResource(() => usage.stop());
  const { keyUses } = deps.authenticator;
  started.addResource(startFlushing(keyUses, 5_000, (err) => log.warn({ err }, "api-keys.uses-behind")));
  started.addResource(startFlushing(deps.requestLog, 2_000, (err) => log.warn({ err }, "request-log.behind")));
  started.addWork(async ({ drains }) => {
    connections.closeAfterResponse();
    if (drains) await pause(config.http.drainSeconds * 1000);
    await connections.closeAll(() => api.close());
  });
  const address = await api.listen(config.http).catch(explainListenError("PORT", config.http));
  return { address };
}

async function resealWebhooks(db: Database, { secrets }: Config, log: Log): Promise<void> {
  const { resealed, unreadable } = await resealEndpointSecrets(db, secrets.contentKey);
  if (resealed > 0) log.info({ secrets: resealed }, "webhooks.secrets-resealed");
  if (unreadable > 0) log.warn({ secrets: unreadable }, "webhooks.secrets-unreadable");
}

/** Returns the function that stops it and stores what is left. */
function startFlushing(
  buffer: { flush(): Promise<void> },
  pauseMs: number,
  onFailure: (err: unknown) => void,
): () => Promise<void> {
  const ticker = startTicker({ pauseMs, run: () => buffer.flush(), onFailure });
  return async () => {
    await ticker.stop();
    await buffer.flush().catch(onFailure);
  };
}
