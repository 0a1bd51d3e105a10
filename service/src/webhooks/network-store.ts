import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";

const entry = {
  action: "account.webhook-networks-change",
  actor: "$3",
  target: { kind: "account", id: "$1::uuid", name: "(select name from accounts where id = $1)" },
} as const;

/** CIDRs beside the public addresses to which the webhooks of the account may go. */
export async function listWebhookNetworks(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.query<{ network: string }>({
    name: "list-webhook-networks",
    text: `
      select network::text as network
      from webhook_networks
      where account_id = $1
      order by webhook_networks.network`,
    values: [accountId],
  });
  return rows.map(({ network }) => network);
}

/** Whether it was new. Only the operator may call it. */
export async function allowWebhookNetwork(
  db: Queryable,
  accountId: string,
  network: string,
  actor: Actor = systemActor,
): Promise<boolean> {
  const rows = await db.query({
    name: "allow-webhook-network",
    text: `
      with added as (
        insert into webhook_networks (account_id, network)
        values ($1, $2::cidr)
        on conflict (account_id, network) do nothing
        returning network
      ), ${auditEntry({ ...entry, after: { allowed: "added.network" }, from: "added" })}
      select
      from added`,
    values: [accountId, network, JSON.stringify(actor)],
  });
  return rows.length > 0;
}

/** Whether the account had it. Attempts that are on their way finish; later ones are refused. */
export async function removeWebhookNetwork(
  db: Queryable,
  accountId: string,
  network: string,
  actor: Actor = systemActor,
): Promise<boolean> {
  const rows = await db.query({
    name: "remove-webhook-network",
    text: `
      with removed as (
        delete from webhook_networks
        where account_id = $1
          and network = $2::cidr
        returning network
      ), ${auditEntry({ ...entry, before: { allowed: "removed.network" }, from: "removed" })}
      select
      from removed`,
    values: [accountId, network, JSON.stringify(actor)],
  });
  return rows.length > 0;
}
