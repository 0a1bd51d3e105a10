import type { SesSimulator } from "@postern/ses-simulator";
import type { Database } from "../src/db/database.ts";
import { type NameLocks, openNameLocks } from "../src/db/name-locks.ts";
import type { DomainDeps } from "../src/domains/register-domain.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";

export const testConfigurationSet = "postern-AA";

/** The domain dependencies of the API, against the simulator. Control calls need no waiting unless the test limits them. */
export async function openDomainFixture(
  db: Database,
  url: string,
  simulator: SesSimulator,
): Promise<DomainDeps & { locks: NameLocks }> {
  const locks = openNameLocks({ directUrl: url, onIdleError: () => undefined });
  const provider = createSesProvider({
    region: simulator.region,
    endpoint: simulator.url,
    accountId: "000000000000",
    partition: "aws",
  });
  await provider.createConfigurationSet(testConfigurationSet);
  await db.query({ name: "unlimited-control-calls", text: "update control_budget set spacing = '1 microsecond'" });
  return { db, locks, provider, configurationSetName: testConfigurationSet };
}

/** For runs that change domains in a loop. Later accounts keep the usual limits. */
export async function liftDomainLimits(db: Database): Promise<void> {
  await db.query({
    name: "lift-domain-limits",
    text: "update accounts set domain_limit = 1000000, domain_changes_per_minute = 1000000",
  });
}

/** The names of all identities at the simulator, read through the provider. */
export async function identitiesOf(deps: DomainDeps): Promise<string[]> {
  const names: string[] = [];
  let next: string | undefined;
  do {
    const page = await deps.provider.listIdentities(next);
    names.push(...page.identities.map(({ domainName }) => domainName));
    next = page.next;
  } while (next !== undefined);
  return names.toSorted();
}
