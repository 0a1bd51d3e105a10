import { createDnsResolver } from "../domains/dns-resolver.ts";
import { ConfigurationError } from "../errors.ts";
import { startChores } from "../worker/chores.ts";
import { domainChores } from "../worker/domain-chores.ts";
import { openDomainDesk } from "./domain-desk.ts";
import { runProcess } from "./run-process.ts";

export function runWorker(): Promise<void> {
  return runProcess("worker", async ({ config, db, log }) => {
    const domains = openDomainDesk(config, db, log);
    if (domains === undefined) {
      throw new ConfigurationError("AWS_FEEDBACK_TOPIC_ARN is missing. Run `postern aws setup`, which prints it.");
    }
    const resolver = createDnsResolver({ servers: config.dnsServers });
    const chores = await startChores(
      config.database.directUrl,
      domainChores({ ...domains.desk, resolver, log }),
      log,
    ).catch(async (error) => {
      await domains.close();
      throw error;
    });
    const stop = async () => {
      await chores.stop();
      await domains.close();
    };
    return { facts: {}, stop };
  });
}
