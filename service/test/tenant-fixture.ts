import { DeleteTenantCommand, ListTenantResourcesCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import type { Database } from "../src/db/database.ts";
import type { TenantDeps } from "../src/domains/attach-tenants.ts";
import { createLog } from "../src/log.ts";
import { tenantNameOf } from "../src/provider/cell-names.ts";
import type { EmailProvider } from "../src/provider/email-provider.ts";
import { anAccount } from "./builders.ts";
import { aDomainName } from "./email-provider-contract.ts";
import { aVerifiedDomain } from "./send-builders.ts";
import { change } from "./send-rows.ts";
import type { useSesProvider } from "./use-ses-provider.ts";

type Ses = ReturnType<typeof useSesProvider>;

export const tenantOf = (accountId: string) => tenantNameOf("AA", accountId);

/** What the chore needs, against the simulator. Control calls need no waiting. */
export async function openTenantFixture(db: Database, { sesProvider }: Ses): Promise<TenantDeps> {
  const provider = sesProvider();
  await provider.createConfigurationSet("postern-AA");
  await change(db, "update control_budget set spacing = '1 microsecond', next_at = now()");
  return { db, provider, cellCode: "AA", configurationSetName: "postern-AA", log: createLog("silent") };
}

/** A domain that is verified here and at the simulator. */
export async function aDomainAtSes(db: Database, { sesProvider, simulator }: Ses, given: { accountId?: string } = {}) {
  const accountId = given.accountId ?? (await anAccount(db));
  const domainName = aDomainName();
  await sesProvider().createIdentity(domainName, "postern-AA");
  await simulator.control("POST", `identities/${domainName}/verification`, { status: "SUCCESS" });
  await aVerifiedDomain(db, accountId, domainName);
  return { accountId, domainName };
}

/** The last parts of the ARNs that the tenant of the account has at the simulator; undefined when there is no tenant. */
export async function resourcesOf(ses: Ses, accountId: string): Promise<string[] | undefined> {
  const command = new ListTenantResourcesCommand({ TenantName: tenantOf(accountId) });
  const listed = await clientOf(ses)
    .send(command)
    .catch(() => undefined);
  return listed?.TenantResources?.map(({ ResourceArn = "" }) => ResourceArn.split(":").at(-1) ?? "").toSorted();
}

export async function deleteTenant(ses: Ses, accountId: string): Promise<void> {
  await clientOf(ses).send(new DeleteTenantCommand({ TenantName: tenantOf(accountId) }));
}

function clientOf({ simulator }: Ses): SESv2Client {
  const credentials = { accessKeyId: "simulator", secretAccessKey: "simulator" };
  return new SESv2Client({ endpoint: simulator.url, region: simulator.region, credentials, maxAttempts: 1 });
}

/** A minute passes for every domain that waits for its next try. */
export async function letTenantsBeDue(db: Database): Promise<void> {
  await change(db, "update domains set tenant_try_at = now() where tenant_try_at is not null");
}

type TenantCall = keyof Pick<
  EmailProvider,
  "createTenant" | "addConfigurationSetToTenant" | "addIdentityToTenant" | "removeIdentityFromTenant"
>;

/** A provider whose call takes effect, and whose answer is then lost, the first time. */
export function losingAnswerOf(provider: TenantDeps["provider"], name: TenantCall): TenantDeps["provider"] {
  let isLost = false;
  const call = provider[name] as (...args: [string, string]) => Promise<unknown>;
  const lossy = async (...args: [string, string]) => {
    const answer = await call(...args);
    if (isLost) return answer;
    isLost = true;
    throw new Error(`the answer of ${name} is lost`);
  };
  return { ...provider, [name]: lossy };
}
