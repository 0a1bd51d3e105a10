import { tenantChores } from "../domains/attach-tenants.ts";
import { createDnsResolver } from "../domains/dns-resolver.ts";
import { domainChores } from "../domains/domain-chores.ts";
import { countQueueChores } from "../feedback/count-queue.ts";
import { feedbackChores } from "../feedback/feedback-chores.ts";
import type { Chore } from "../loops/chores.ts";
import { tenantNameOf } from "../provider/cell-names.ts";
import { readQueuedMessage } from "../provider/ses/feedback/read-envelope.ts";
import { learnQuota, providerChores } from "../queue/read-quota.ts";
import { suppressionChores } from "../suppressions/suppression-chores.ts";
import { openDomainDeps } from "./domain-deps.ts";
import { openFeedbackReceiver, openMessageCounter } from "./feedback-sources.ts";
import type { StartContext } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";
import { startFeedback } from "./start-feedback.ts";

interface LiveMail {
  chores: Chore[];
  start(): void;
}

/** The work of a worker that needs AWS. Undefined until AWS_FEEDBACK_TOPIC_ARN, which `postern aws setup` prints, is set. */
export async function openLiveMail(context: StartContext): Promise<LiveMail | undefined> {
  const { config, db, log, started } = context;
  const receive = await openFeedbackReceiver(context);
  const domains = openDomainDeps(config, db, log);
  if (domains === undefined) return undefined;
  started.addResource(() => domains.close());
  const { provider } = domains.deps;
  const { cellCode } = config;
  const { tenants } = config.provider;
  const tenantOf = tenants === "on" ? (accountId: string) => tenantNameOf(cellCode, accountId) : undefined;
  const read = (raw: string) => readQueuedMessage(raw, [config.provider.feedbackTopicArn ?? ""]);
  const resolver = createDnsResolver({ servers: config.dnsServers });
  return {
    chores: [
      ...domainChores({ ...domains.deps, resolver, log }),
      ...providerChores(db, provider),
      ...suppressionChores({ db, provider, log }),
      ...(tenants === "off" ? [] : tenantChores({ ...domains.deps, cellCode, log })),
      ...feedbackChores({ db, log, receive, read, feedback: config.feedback }),
      ...countQueueChores({ db, count: openMessageCounter(config) }),
    ],
    start() {
      // The chore that reads the quota may run a minute later; until then workers send to one recipient a second.
      const stopping = new AbortController();
      void learnQuota(db, provider, stopping.signal);
      started.addWork(async () => stopping.abort());
      const delivery = startDelivery(context, { mode: "live", provider, tenantOf, ...config.delivery });
      started.addWork(() => delivery.stop());
      const feedback = startFeedback(context, receive);
      started.addWork(() => feedback.stop());
    },
  };
}
