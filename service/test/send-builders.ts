import { hash, randomBytes, randomUUIDv7 } from "node:crypto";
import { type Attachment, factsOf } from "../src/attachments/attachment.ts";
import { storeAttachments } from "../src/attachments/store-chunks.ts";
import type { Database } from "../src/db/database.ts";
import type { Mode } from "../src/mode.ts";
import { configurationSetNameOf } from "../src/provider/cell-names.ts";
import type { CustomHeader } from "../src/provider/email-provider.ts";
import { type ClaimedSend, claimSends } from "../src/queue/claim-sends.ts";
import { type SendContent, sealContent } from "../src/sends/content.ts";
import type { SuppressionReason } from "../src/suppression-reason.ts";
import { anAccount } from "./builders.ts";
import { aConfig } from "./test-config.ts";

/** Seals the content of `aQueuedSend` unless the test passes other keys. */
export const testContentKeys = aConfig().secrets.contentKey;

export async function aVerifiedDomain(
  db: Database,
  accountId: string,
  name = `d-${randomBytes(5).toString("hex")}.test`,
  cellCode = "AA",
): Promise<string> {
  await db.query({
    name: "a-verified-domain",
    text: `
      insert into domains (account_id, domain_name, challenge_token, configuration_set_name, verification_status,
        identity_arn, dkim_tokens, dkim_zone, registered_at, is_dkim_verified, next_check_at)
      values ($1, $2, 'token', $3, 'Success', 'arn:aws:ses:eu-central-1:000000000000:identity/' || $2,
        '{one,two,three}', 'dkim.amazonses.com', now(), true, now() + interval '1 day')`,
    values: [accountId, name, configurationSetNameOf(cellCode)],
  });
  return name;
}

interface QueuedSend {
  accountId: string;
  /** The key it came from; without one it came by JWT. */
  apiKeyId?: string;
  mode?: Mode;
  fromDomain?: string;
  to?: string[];
  cc?: string[];
  bcc?: string[];
  /** Seconds from now; the claim takes sends with an earlier time first. */
  fairInSeconds?: number;
  hasContent?: boolean;
  text?: string;
  html?: string;
  keys?: typeof testContentKeys;
  attachments?: Attachment[];
  headers?: CustomHeader[];
}

/** A send that the API has just accepted, ready to be claimed. Returns its id. */
export async function aQueuedSend(db: Database, options: QueuedSend): Promise<string> {
  const { accountId, mode = "live", fromDomain = "shop.test", fairInSeconds = 0, keys = testContentKeys } = options;
  const { to = [`to-${randomBytes(5).toString("hex")}@example.test`], cc = [], bcc = [] } = options;
  const id = randomUUIDv7();
  const content: SendContent = {
    from: { name: "Shop", address: `orders@${fromDomain}` },
    to,
    cc,
    bcc,
    replyTo: undefined,
    subject: "Your order",
    html: options.html,
    text: options.text ?? "It is on its way.",
    ...(options.headers !== undefined && { headers: options.headers }),
    ...(options.attachments !== undefined && { attachments: options.attachments.map(factsOf) }),
  };
  const chunks = options.attachments && (await linkedAttachments(db, { accountId, sendId: id }, options.attachments));
  const recipients = [...to, ...cc, ...bcc];
  await db.query({
    name: "a-queued-send",
    text: `
      with stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, api_key_id, attachment_bytes)
        values ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, $13, $14)
      ), content as (
        insert into send_contents (id, sealed)
        select $1, $9
        where $9::bytea is not null
      )
      insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients, attachment_bytes)
      values ($1, $2, $3, now() + make_interval(secs => $10), $11, $12, $14)`,
    values: [
      id,
      accountId,
      mode,
      content.from.address,
      recipients,
      to.length,
      cc.length,
      content.subject,
      options.hasContent === false ? null : sealContent(keys.current, { accountId, sendId: id }, content),
      fairInSeconds,
      fromDomain,
      recipients.map((address) => address.toLowerCase()),
      options.apiKeyId ?? null,
      chunks?.bytes ?? null,
    ],
  });
  return id;
}

export function anAttachment(bytes: Buffer, changes: Partial<Attachment> = {}): Attachment {
  const sha256 = hash("sha256", bytes, "hex");
  const facts = { filename: "note.txt", contentType: "text/plain", contentId: undefined, size: bytes.length, sha256 };
  return { ...facts, bytes, ...changes };
}

async function linkedAttachments(
  db: Database,
  owner: { accountId: string; sendId: string },
  attachments: Attachment[],
) {
  const chunks = await storeAttachments(db, testContentKeys.current, owner, attachments);
  await db.query({
    name: "link-attachments",
    text: "delete from pending_attachments where send_id = $1",
    values: [owner.sendId],
  });
  return chunks;
}

interface SuppressedAddress {
  accountId: string;
  email: string;
  mode?: Mode;
  reason?: SuppressionReason;
  /** SES reported the bounce or complaint. */
  isReported?: boolean;
}

export async function aSuppression(
  db: Database,
  { accountId, email, mode = "live", reason = "hard_bounce", isReported = reason !== "manual" }: SuppressedAddress,
): Promise<void> {
  await db.query({
    name: "a-suppression",
    text: `
      insert into suppressions (id, account_id, mode, email, reason, reported_reason, reported_at)
      values ($1, $2, $3, $4, $5, case when $6 then $5 end, case when $6 then now() end)`,
    values: [randomUUIDv7(), accountId, mode, email, reason, isReported],
  });
}

/** Identifies the attempt that this claim started, as a settlement needs it. */
export function attemptOf(send: ClaimedSend) {
  return { sendId: send.id, attempt: send.attempt, startedAt: send.attemptedAt };
}

/** Creates an account with a verified domain unless the test passes them. No other worker may claim at the same time. */
export async function aClaimedSend(db: Database, options: Partial<QueuedSend> = {}): Promise<ClaimedSend> {
  const accountId = options.accountId ?? (await anAccount(db));
  const fromDomain = options.fromDomain ?? (await aVerifiedDomain(db, accountId));
  const id = await aQueuedSend(db, { ...options, accountId, fromDomain });
  return claimAgain(db, id);
}

export async function claimAgain(db: Database, id: string): Promise<ClaimedSend> {
  const claimAll = {
    mode: "live",
    maxSends: 1_000,
    maxRecipients: 10_000,
    fromFairAt: "-infinity",
    isProbe: true,
  } as const;
  const { sends } = await claimSends(db, claimAll);
  const send = sends.find((claimed) => claimed.id === id);
  if (send === undefined) throw new Error("the send could not be claimed");
  return send;
}

/** Queues and claims one send after the other, because a claim takes all sends that are ready. */
export async function someClaimedSends(db: Database, count: number): Promise<ClaimedSend[]> {
  const sends: ClaimedSend[] = [];
  while (sends.length < count) sends.push(await aClaimedSend(db));
  return sends;
}
