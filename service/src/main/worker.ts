import { createDnsResolver } from "../domains/dns-resolver.ts";
import { ConfigurationError } from "../errors.ts";
import { startChores } from "../worker/chores.ts";
import { domainChores } from "../worker/domain-chores.ts";
import { providerChores, readQuota } from "../worker/provider-chores.ts";
import { storageChores } from "../worker/storage-chores.ts";
import { openDomainDesk } from "./domain-desk.ts";
import { runProcess } from "./run-process.ts";
import { startDelivery } from "./start-delivery.ts";

export function runWorker(): Promise<void> {
  return runProcess("worker", async (ground) => {
    const { config, db, log } = ground;
    const domains = openDomainDesk(config, db, log);
    if (domains === undefined) {
      throw new ConfigurationError("AWS_FEEDBACK_TOPIC_ARN is missing. Run `postern aws setup`, which prints it.");
    }
    const { provider } = domains.desk;
    const resolver = createDnsResolver({ servers: config.dnsServers });
    const chores = await startChores(
      config.database.directUrl,
      [
        ...storageChores({ db, log, ...config }),
        ...domainChores({ ...domains.desk, resolver, log }),
        ...providerChores(db, provider),
      ],
      log,
    ).catch(async (error) => {
      await domains.close();
      throw error;
    });
    // The chore may be due only in a minute; until the rate is known, mail goes at one a second.
    void readQuota(db, provider).catch((err: unknown) => log.warn({ err }, "provider.quota-not-read"));
    const delivery = startDelivery(ground, provider);
    const stop = async () => {
      await Promise.all([delivery.stop(), chores.stop()]);
      await domains.close();
    };
    return { facts: {}, stop };
  });
}
