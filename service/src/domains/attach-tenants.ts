import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { tenantNameOf } from "../provider/cell-names.ts";
import { NoControlTokenError, waitForControlToken } from "../provider/control-call-tokens.ts";
import { type EmailProvider, ProviderError } from "../provider/email-provider.ts";
import {
  forgetTenantRemoval,
  listTenantRemovals,
  postponeTenantRemoval,
  type TenantRemoval,
} from "./tenant-removal-store.ts";
import {
  countWithoutTenant,
  type DueTenant,
  forgetAccountTenant,
  markIdentityAdded,
  markTenantReady,
  returnDueTenant,
  takeDueTenant,
} from "./tenant-store.ts";

export interface TenantDeps {
  db: Database;
  provider: Pick<
    EmailProvider,
    "createTenant" | "addConfigurationSetToTenant" | "addIdentityToTenant" | "removeIdentityFromTenant"
  >;
  cellCode: string;
  configurationSetName: string;
  log: Log;
}

const maxRunMs = 60_000;
const removalBatchSize = 20;

/** One process at a time runs a chore, so an identity is never added and removed at the same moment. */
export function tenantChores(deps: TenantDeps): Chore[] {
  return [{ name: "attach-tenants", pauseSeconds: 2, run: () => attachTenants(deps, maxRunMs) }];
}

/**
 * Makes the SES tenant of each account with a verified domain: create it, add the configuration set, add the identity of the domain. Only
 * then may the worker name the tenant in a mail.
 *
 * 1. Every call is safe to repeat, and what is finished is stored after its call, so a crash only repeats calls.
 * 2. A domain whose calls fail is tried again after a minute, and the others go on.
 * 3. Identities of removed domains are removed first.
 */
export async function attachTenants(deps: TenantDeps, maxMs: number): Promise<void> {
  const endsAt = performance.now() + maxMs;
  const failures: unknown[] = [];
  let attached = 0;
  try {
    for (const removal of await listTenantRemovals(deps.db, removalBatchSize)) {
      await removeIdentity(deps, removal).catch(async (error: unknown) => {
        failures.push(unlessNoToken(error));
        await postponeTenantRemoval(deps.db, removal);
      });
    }
    while (performance.now() < endsAt) {
      const due = await takeDueTenant(deps.db);
      if (due === undefined) break;
      await attach(deps, due).then(
        () => void attached++,
        (error: unknown) => void failures.push(unlessNoToken(error)),
      );
    }
  } catch (error) {
    // Normal under load: the next run continues.
    if (!(error instanceof NoControlTokenError)) throw error;
  }
  if (attached > 0) deps.log.info({ attached, left: await countWithoutTenant(deps.db) }, "tenants.attached");
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} tenant changes failed`);
}

function unlessNoToken(error: unknown): unknown {
  if (error instanceof NoControlTokenError) throw error;
  return error;
}

async function attach(deps: TenantDeps, due: DueTenant): Promise<void> {
  const { db, provider, configurationSetName } = deps;
  const tenantName = tenantNameOf(deps.cellCode, due.accountId);
  try {
    if (!due.isTenantReady) {
      await waitForControlToken(db, "chore");
      await provider.createTenant(tenantName);
      await waitForControlToken(db, "chore");
      await provider.addConfigurationSetToTenant(tenantName, configurationSetName);
      await markTenantReady(db, due.accountId);
    }
    await waitForControlToken(db, "chore");
    await provider.addIdentityToTenant(tenantName, due.domainName);
    await markIdentityAdded(db, due);
  } catch (error) {
    if (error instanceof NoControlTokenError) await returnDueTenant(db, due);
    // Somebody deleted the tenant at SES, perhaps: the next try makes it again.
    if (error instanceof ProviderError && error.kind === "invalid") await forgetAccountTenant(db, due.accountId);
    throw error;
  }
}

async function removeIdentity({ db, provider, cellCode }: TenantDeps, removal: TenantRemoval): Promise<void> {
  if (!removal.isAddedAgain) {
    await waitForControlToken(db, "chore");
    await provider.removeIdentityFromTenant(tenantNameOf(cellCode, removal.accountId), removal.domainName);
  }
  await forgetTenantRemoval(db, removal);
}
