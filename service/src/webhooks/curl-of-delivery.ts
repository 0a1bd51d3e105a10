import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import type { SecretPair } from "../secret.ts";
import { curlCommand } from "./curl-command.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";
import { noSuchDelivery } from "./list-deliveries.ts";
import { notificationHeaders } from "./notification-headers.ts";
import { openSigningSecrets } from "./open-signing-secrets.ts";
import { notStored } from "./replay-delivery.ts";

/** How old a timestamp may be for a receiver that follows Standard Webhooks. */
const toleranceSeconds = 5 * 60;

interface CurlRow {
  url: string;
  isFound: boolean;
  publicId: string | null;
  envelope: string | null;
  sealedSecrets: Buffer[];
  timestamp: number;
}

/** A command that repeats the request of a delivery under a new timestamp. The secrets stay here; the audit has an entry for each command. */
export async function curlOfDelivery(
  db: AccountDatabase,
  contentKeys: SecretPair,
  { modes, endpointId, id }: { modes: readonly Mode[]; endpointId: string; id: string },
): Promise<{ command: string; timestamp: number; expiresAt: string }> {
  const [row] = await db.query<CurlRow>({
    name: "read-delivery-for-curl",
    text: `
      with endpoint as materialized (
        select id, url
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
          and listens_until is null
      ), found as materialized (
        select d.id, d.public_id, d.type, n.envelope
        from webhook_deliveries d
        left join notifications n on n.account_id = $1 and n.id = d.notification_id
        where d.account_id = $1
          and d.endpoint_id = $3
          and d.id = $4
      ), ${auditEntry({
        action: "webhook.curl",
        actor: "$5",
        target: { kind: "webhook", id: "endpoint.id", name: "endpoint.url" },
        after: { delivery_id: "found.id", type: "found.type" },
        from: "endpoint join found on found.envelope is not null",
      })}
      select endpoint.url, found.id is not null as "isFound", found.public_id as "publicId", found.envelope,
        floor(extract(epoch from now()))::int8 as timestamp, secrets.sealed as "sealedSecrets"
      from endpoint
      left join found on true
      cross join lateral (
        select coalesce(array_agg(s.sealed order by s.expires_at desc nulls first), '{}') as sealed
        from webhook_secrets s
        where s.account_id = $1
          and s.endpoint_id = endpoint.id
          and (s.expires_at is null or s.expires_at > now())
      ) as secrets`,
    values: [db.accountId, modes, endpointId, id, JSON.stringify(db.actor)],
    isPlannedEachTime: true,
  });
  if (row === undefined) throw noSuchEndpoint();
  if (!row.isFound) throw noSuchDelivery();
  const { url, publicId, envelope: body, timestamp, sealedSecrets } = row;
  if (publicId === null || body === null) throw notStored();
  const secrets = openSigningSecrets(contentKeys, endpointId, sealedSecrets);
  const headers = notificationHeaders({ secrets, publicId, timestamp, body });
  const expiresAt = new Date((timestamp + toleranceSeconds) * 1000).toISOString();
  return { command: curlCommand({ url, headers, body }), timestamp, expiresAt };
}
