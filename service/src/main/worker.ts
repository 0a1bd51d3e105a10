import { createDnsResolver } from "../domains/dns-resolver.ts";
import { ConfigurationError } from "../errors.ts";
import { readQueuedMessage } from "../provider/ses/read-envelope.ts";
import { startChores } from "../worker/chores.ts";
import { domainChores } from "../worker/domain-chores.ts";
import { feedbackChores } from "../worker/feedback-chores.ts";
import { learnQuota, providerChores } from "../worker/provider-chores.ts";
import { storageChores } from "../worker/storage-chores.ts";
import { suppressionChores } from "../worker/suppression-chores.ts";
import { openDomainDesk } from "./domain-desk.ts";
import { openFeedbackTaker } from "./feedback-doors.ts";
import { runProcess } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";
import { startFeedback } from "./start-feedback.ts";
import { startSandbox } from "./start-sandbox.ts";

export function runWorker(): Promise<void> {
  return runProcess("worker", async (ground) => {
    const { config, db, log } = ground;
    const domains = openDomainDesk(config, db, log);
    if (domains === undefined) {
      throw new ConfigurationError("AWS_FEEDBACK_TOPIC_ARN is missing. Run `postern aws setup`, which prints it.");
    }
    const { provider } = domains.desk;
    const take = await openFeedbackTaker(ground);
    const readRaw = (raw: string) => readQueuedMessage(raw, [config.provider.feedbackTopicArn ?? ""]);
    const resolver = createDnsResolver({ servers: config.dnsServers });
    const chores = await startChores(
      config.database.directUrl,
      [
        ...storageChores({ db, log, ...config }),
        ...domainChores({ ...domains.desk, resolver, log }),
        ...providerChores(db, provider),
        ...suppressionChores({ db, provider, log }),
        ...feedbackChores({ db, log, take, read: readRaw, feedback: config.feedback }),
      ],
      log,
    ).catch(async (error) => {
      await domains.close();
      throw error;
    });
    // The chore may be due only in a minute; until the rate is known, mail goes at one a second.
    const stopping = new AbortController();
    void learnQuota(db, provider, stopping.signal);
    const delivery = startDelivery(ground, { mode: "live", provider, slots: config.delivery.slots });
    const sandbox = await startSandbox(ground);
    const feedback = startFeedback(ground, take);
    const stop = async () => {
      stopping.abort();
      await Promise.all([delivery.stop(), sandbox.stop(), feedback.stop(), chores.stop()]);
      await domains.close();
    };
    return { facts: {}, stop };
  });
}
