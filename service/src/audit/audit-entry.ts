import type { AuditAction } from "./audit-actions.ts";
import type { AuditTargetKind } from "./audit-targets.ts";

/** SQL expressions, except `action` and `target.kind`. */
interface EntryOfRow {
  /** The name of the step, for a statement with several actions. */
  step?: string;
  action: AuditAction;
  /** The parameter with the actor as JSON, such as `$7`. */
  actor: string;
  /** `$1` unless given. */
  account?: string;
  target: { kind: AuditTargetKind; id: string; name?: string };
  /** Expressions by their names. Never secrets, hashes, tokens or content of mail. */
  before?: Record<string, string>;
  after?: Record<string, string>;
  /** The rows that the action changed, each with its own entry; no row, no entry. With joins and conditions, if needed. */
  from: string;
}

/**
 * SQL: a step of a `with` that writes the audit entry of the action in the same statement. So there is no entry without its action, and no
 * action without its entry, whenever the process dies.
 */
export function auditEntry({
  step = "audited",
  action,
  actor,
  account = "$1",
  target,
  before,
  after,
  from,
}: EntryOfRow): string {
  return `${step} as (
        insert into audit_entries (id, account_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name,
          before, after, address, request_id, reason)
        select new_id_at(now()), ${account}, ${actor}::jsonb ->> 'kind', ${actor}::jsonb ->> 'id',
          left(audit_actor_name(${actor}::jsonb), 320),
          '${action}', '${target.kind}', (${target.id})::text, left((${target.name ?? "null"})::text, 320),
          ${factsOf(before)}, ${factsOf(after)}, ${actor}::jsonb ->> 'address', ${actor}::jsonb ->> 'requestId',
          ${actor}::jsonb ->> 'reason'
        from ${from}
      )`;
}

function factsOf(facts: Record<string, string> | undefined): string {
  if (facts === undefined) return "null::jsonb";
  const pairs = Object.entries(facts).map(([name, expression]) => `'${name}', ${expression}`);
  return `bounded_facts(jsonb_build_object(${pairs.join(", ")}))`;
}
