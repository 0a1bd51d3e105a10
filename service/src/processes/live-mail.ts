import { createDnsResolver } from "../domains/dns-resolver.ts";
import { domainChores } from "../domains/domain-chores.ts";
import { feedbackChores } from "../feedback/feedback-chores.ts";
import type { Chore } from "../loops/chores.ts";
import { readQueuedMessage } from "../provider/ses/feedback/read-envelope.ts";
import { learnQuota, providerChores } from "../queue/read-quota.ts";
import { suppressionChores } from "../suppressions/suppression-chores.ts";
import { openDomainDesk } from "./domain-deps.ts";
import { openFeedbackTaker } from "./feedback-sources.ts";
import type { ProcessGround } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";
import { startFeedback } from "./start-feedback.ts";

interface LiveMail {
  chores: Chore[];
  start(): { stop(): Promise<void> }[];
  close(): Promise<void>;
}

/** Everything a worker does with AWS. Undefined until `postern aws setup` has been run and its topic is configured. */
export async function openLiveMail(ground: ProcessGround): Promise<LiveMail | undefined> {
  const { config, db, log } = ground;
  const take = await openFeedbackTaker(ground);
  const domains = openDomainDesk(config, db, log);
  if (domains === undefined) return undefined;
  const { provider } = domains.desk;
  const read = (raw: string) => readQueuedMessage(raw, [config.provider.feedbackTopicArn ?? ""]);
  const resolver = createDnsResolver({ servers: config.dnsServers });
  return {
    chores: [
      ...domainChores({ ...domains.desk, resolver, log }),
      ...providerChores(db, provider),
      ...suppressionChores({ db, provider, log }),
      ...feedbackChores({ db, log, take, read, feedback: config.feedback }),
    ],
    start() {
      // The chore may be due only in a minute; until the rate is known, mail goes at one a second.
      const stopping = new AbortController();
      void learnQuota(db, provider, stopping.signal);
      return [
        { stop: async () => stopping.abort() },
        startDelivery(ground, { mode: "live", provider, slots: config.delivery.slots }),
        startFeedback(ground, take),
      ];
    },
    close: () => domains.close(),
  };
}
