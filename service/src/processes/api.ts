import { createApiServer } from "../api/http/server.ts";
import { requireAccountRole } from "../db/require-usable.ts";
import { openAcceptDesk } from "./accept-deps.ts";
import { createApiParts } from "./api-deps.ts";
import { openDomainDesk } from "./domain-deps.ts";
import { explainPort } from "./explain-port.ts";
import { openFeedbackPush, openFeedbackTaker } from "./feedback-sources.ts";
import { runProcess } from "./run-process.ts";
import { trackConnections } from "./track-connections.ts";

export function runApi(): Promise<void> {
  return runProcess("api", async ({ config, db, log, metrics }) => {
    await requireAccountRole(db);
    const acceptDesk = await openAcceptDesk(config, db);
    const push = openFeedbackPush(config);
    const feedbackDoor = push && { push, take: await openFeedbackTaker({ db, log, metrics }) };
    const domains = openDomainDesk(config, db, log);
    if (domains === undefined) log.warn({ missing: "AWS_FEEDBACK_TOPIC_ARN" }, "aws.not-set-up");
    const parts = createApiParts(config, { db, log, metrics, domainDesk: domains?.desk, acceptDesk, feedbackDoor });
    const api = await createApiServer(parts);
    const letGo = trackConnections(api.server);
    const stop = async () => {
      await letGo(() => api.close());
      await domains?.close();
    };
    try {
      const address = await api.listen(config.http).catch(explainPort("PORT", config.http));
      return { facts: { address }, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  });
}
