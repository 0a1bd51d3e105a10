import type { Database, Queryable } from "../db/database.ts";
import { tryControlToken } from "../provider/control-call-tokens.ts";
import { type EmailProvider, findingKinds, ProviderError, type ReputationFinding } from "../provider/email-provider.ts";

const maxStored = 20;

/**
 * Reads the findings of SES about the reputation of the AWS account once an hour, with one control call for each kind. They only warn:
 * no send depends on them.
 *
 * 1. While other control calls wait, nothing is stored, and the next run starts again.
 * 2. An AWS account without the feature or without the permission is normal: the findings are then unknown, and the chore has not failed.
 */
export async function readReputation(
  db: Database,
  provider: Pick<EmailProvider, "listReputationFindings">,
): Promise<void> {
  if (!(await areFindingsDue(db))) return;
  const found: ReputationFinding[] = [];
  try {
    for (const kind of findingKinds) {
      if (!(await tryControlToken(db, "chore"))) return;
      found.push(...(await provider.listReputationFindings(kind)));
    }
  } catch (error) {
    if (!isNotOffered(error)) throw error;
    return storeFindings(db, undefined);
  }
  await storeFindings(db, found);
}

/** SES answered, and will answer the same next time. */
function isNotOffered(error: unknown): boolean {
  return error instanceof ProviderError && (error.kind === "denied" || error.kind === "invalid");
}

/** A time in the future is not ours: the clock of the server was set back. */
async function areFindingsDue(db: Queryable): Promise<boolean> {
  const rows = await db.query({
    name: "are-findings-due",
    text: `
      select
      from provider_state
      where mode = 'live'
        and (findings_read_at is null or findings_read_at not between now() - interval '1 hour' and now())`,
  });
  return rows.length > 0;
}

async function storeFindings(db: Queryable, found: ReputationFinding[] | undefined): Promise<void> {
  const highFirst = found?.toSorted((a, b) => Number(a.impact === "LOW") - Number(b.impact === "LOW"));
  await db.query({
    name: "store-findings",
    text: `
      update provider_state
      set findings = $1::jsonb, finding_count = $2, findings_read_at = now()
      where mode = 'live'`,
    values: [highFirst === undefined ? null : JSON.stringify(highFirst.slice(0, maxStored)), found?.length ?? null],
  });
}
