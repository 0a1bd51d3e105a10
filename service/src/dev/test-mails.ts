import type { OpenedMail, OtherMail, OtherMails, OtherMailsQuery } from "@postern/ses-simulator";
import type { Attachment } from "../attachments/attachment.ts";
import { readAttachments } from "../attachments/read-chunks.ts";
import type { Queryable } from "../db/database.ts";
import type { SecretPair } from "../secret.ts";
import { openContent } from "../sends/content.ts";
import { contentOf } from "../sends/content-lookup.ts";

/**
 * The test mails of all accounts, for the mail view of `postern dev`. It reads them from the database when a person looks, so the
 * sandbox provider still has no client and no endpoint, and delivery knows nothing of the mail view.
 */
export function readTestMails(db: Queryable, contentKeys: SecretPair): OtherMails {
  return {
    label: "test",
    note: "Postern's sandbox accepted this mail. Test mail never reaches SES.",
    list: async (query) => (await listRows(db, query)).map(toMail),
    async find(id) {
      const row = isSendId(id) ? await findRow(db, id) : undefined;
      return row === undefined ? undefined : toOpenedMail(db, row, contentKeys);
    },
  };
}

interface EventRow {
  type: "Delivery" | "Bounce" | "Complaint" | "Suppression";
  recipient: string;
  bounceType: string | null;
  bounceSubtype: string | null;
  complaintType: string | null;
}

interface MailRow {
  id: string;
  queuedAt: string;
  from: string;
  addresses: string[];
  toCount: number;
  ccCount: number;
  replyTo: string | null;
  subject: string;
  events: EventRow[];
}

interface OpenedRow extends MailRow {
  accountId: string;
  providerMessageId: string | null;
  sealed: Buffer | null;
}

/** SQL: a mail that the sandbox accepted, with its events. This serves all accounts: `postern dev` has one user. */
const columns = `s.id, s.queued_at as "queuedAt", s.from_address as "from", s.to_addresses as addresses, s.to_count as "toCount",
        s.cc_count as "ccCount", s.reply_to as "replyTo", s.subject,
        (
          select coalesce(jsonb_agg(jsonb_build_object('type', e.event_type, 'recipient', e.recipient, 'bounceType', e.bounce_type,
            'bounceSubtype', e.bounce_subtype, 'complaintType', e.complaint_type) order by e.event_at, e.id), '[]')
          from events e
          where e.send_id = s.id
        ) as events`;

/** Ids are in the order of acceptance, so they page the list. With words, the newest `searched` test mails are read. */
async function listRows(db: Queryable, { limit, before, words, searched }: OtherMailsQuery) {
  return db.query<MailRow>({
    name: "list-test-mails",
    text: `
      select ${columns}
      from sends s
      where s.mode = 'test'
        and s.sent_at is not null
        and ($1::uuid is null or s.id < $1)
        and (
          cardinality($2::text[]) = 0
          or s.id >= coalesce(
            (
              select newest.id
              from sends newest
              where newest.mode = 'test'
                and newest.sent_at is not null
              order by newest.id desc
              offset $3 - 1
              limit 1
            ),
            s.id
          )
        )
        and not exists (
          select
          from unnest($2::text[]) as word
          where position(word in lower(concat_ws(' ', s.from_address, array_to_string(s.to_addresses, ' '), s.subject))) = 0
        )
      order by s.id desc
      limit $4`,
    values: [before ?? null, words, searched, limit],
    isPlannedEachTime: true,
  });
}

async function findRow(db: Queryable, id: string): Promise<OpenedRow | undefined> {
  const [row] = await db.query<OpenedRow>({
    name: "find-test-mail",
    text: `
      select ${columns}, s.account_id as "accountId", s.provider_message_id as "providerMessageId", content.sealed
      from sends s
      left join lateral ${contentOf("s.id")} as content on true
      where s.id = $1
        and s.mode = 'test'
        and s.sent_at is not null`,
    values: [id],
    isPlannedEachTime: true,
  });
  return row;
}

function toMail({ id, queuedAt, from, addresses, toCount, ccCount, replyTo, subject, events }: MailRow): OtherMail {
  const suppressed = new Set(events.filter(({ type }) => type === "Suppression").map(({ recipient }) => recipient));
  const sentTo = (list: string[]) => list.filter((address) => !suppressed.has(address));
  return {
    id,
    acceptedAt: new Date(queuedAt).toISOString(),
    from,
    destination: {
      to: sentTo(addresses.slice(0, toCount)),
      cc: sentTo(addresses.slice(toCount, toCount + ccCount)),
      bcc: sentTo(addresses.slice(toCount + ccCount)),
    },
    replyTo: replyTo === null ? [] : [replyTo],
    subject,
    tags: {},
    events: events.flatMap(toEvent),
  };
}

async function toOpenedMail(db: Queryable, row: OpenedRow, keys: SecretPair): Promise<OpenedMail> {
  const mail = toMail(row);
  const tags = row.providerMessageId === null ? {} : { provider_message_id: [row.providerMessageId] };
  if (row.sealed === null) return { ...mail, tags, text: "Postern has deleted the content of this mail." };
  const owner = { accountId: row.accountId, sendId: row.id };
  const { html, text, headers = [], attachments = [] } = openContent(keys, owner, row.sealed);
  return {
    ...mail,
    tags,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    customHeaders: headers,
    attachments: (await readAttachments(db, keys, owner, attachments)).map(toAttachment),
  };
}

function toAttachment({
  filename,
  contentType,
  contentId,
  bytes,
}: Attachment): NonNullable<OpenedMail["attachments"]>[number] {
  const isInline = contentId !== undefined;
  return { name: filename, type: contentType, bytes, isInline, ...(isInline && { contentId }) };
}

/** The mail view shows what happened to the mail; a suppressed recipient did not get it. */
function toEvent({ type, recipient, bounceType, bounceSubtype, complaintType }: EventRow): OtherMail["events"] {
  const recipients = [recipient];
  switch (type) {
    case "Delivery":
      return [{ type, recipients }];
    case "Bounce":
      return [{ type, recipients, bounceType: bounceType ?? "", bounceSubType: bounceSubtype ?? "" }];
    case "Complaint":
      return [{ type, recipients, ...(complaintType !== null && { feedbackType: complaintType }) }];
    case "Suppression":
      return [];
  }
}

function isSendId(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
}
