import { textArray, uuidBytesArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { costOf, type QuotaCost, type QuotaState } from "./quota-states.ts";
import type { Quotas } from "./quotas.ts";

type Exceeded = QuotaState | undefined;

/** What the quotas need to know of a candidate. */
interface Mail {
  accountId: string;
  mode: Mode;
  send: MailCost | undefined;
}

interface MailCost {
  recipients: string[];
  sealed: Buffer;
  attachments?: { bytes: number } | undefined;
  idempotencyHash: Buffer | undefined;
  fromDomain: string;
}

/**
 * The quota that each mail would exceed, for the requests of one statement. The mails of a request count together, in order: a mail
 * that does not fit is refused, and a smaller one behind it may fit.
 */
export function findExceeded(db: Queryable, quotas: Quotas, requests: Mail[][]): Exceeded[] | Promise<Exceeded[]> {
  const found = requests.map((mails) => exceededInOrder(quotas, mails, new Set()));
  const isSure = found.every((exceeded) => exceeded.length === 1 || exceeded.every((quota) => quota === undefined));
  return isSure ? found.flat() : findAgain(db, quotas, requests, found);
}

/**
 * A mail that will not be stored must not use the room of those behind it: after a lost answer, half of the mails of a batch may be
 * repeats. This costs a query, so only requests that seem to exceed a quota are asked about.
 */
async function findAgain(db: Queryable, quotas: Quotas, requests: Mail[][], found: Exceeded[][]) {
  const sure: Exceeded[][] = [];
  for (const [index, mails] of requests.entries()) {
    const first = found[index] ?? [];
    const isSure = mails.length === 1 || first.every((quota) => quota === undefined);
    sure.push(isSure ? first : exceededInOrder(quotas, mails, await findNotStored(db, mails)));
  }
  return sure.flat();
}

/** `notStored`: positions of mails that are known to add nothing. */
function exceededInOrder(quotas: Quotas, mails: Mail[], notStored: Set<number>): Exceeded[] {
  const [only] = mails;
  if (mails.length === 1 && only !== undefined) {
    return [only.send && quotas.findExceeded(only, acceptCost(only.send))];
  }
  const keys = new Set<string>();
  let before: QuotaCost = { recipients: 0, queuedRecipients: 0, contentBytes: 0 };
  return mails.map(({ send, ...account }, position) => {
    if (send === undefined) return undefined;
    const cost = sumOf(before, acceptCost(send));
    const quota = quotas.findExceeded(account, cost);
    if (quota !== undefined) return { ...quota, used: quota.used + costOf(quota.name, before) };
    const key = send.idempotencyHash?.toString("hex");
    // The second mail with a key is a repeat or a conflict.
    if (!notStored.has(position) && (key === undefined || !keys.has(key))) before = cost;
    if (key !== undefined) keys.add(key);
    return undefined;
  });
}

/** Before the decision it is unknown which recipients are suppressed. */
export function acceptCost({
  recipients,
  sealed,
  attachments,
}: Pick<MailCost, "recipients" | "sealed" | "attachments">): QuotaCost {
  const contentBytes = sealed.length + (attachments?.bytes ?? 0);
  return { recipients: recipients.length, queuedRecipients: recipients.length, contentBytes };
}

function sumOf(one: QuotaCost, other: QuotaCost): QuotaCost {
  return {
    recipients: one.recipients + other.recipients,
    queuedRecipients: one.queuedRecipients + other.queuedRecipients,
    contentBytes: one.contentBytes + other.contentBytes,
  };
}

/** The positions of the mails whose key was used before, or whose domain is not verified. */
async function findNotStored(db: Queryable, mails: Mail[]): Promise<Set<number>> {
  const [first] = mails;
  const rows = await db.query<{ position: number }>({
    name: "find-mails-not-stored",
    text: `
      select m.position::integer - 1 as position
      from unnest($3::uuid[], $4::text[]) with ordinality as m (key_hash, from_domain, position)
      where coalesce((
          select true
          from idempotency_keys i
          where i.key_hash = m.key_hash
            and i.account_id = $1
        ), false)
        or not (($2 = 'test' and m.from_domain = 'sandbox.test') or coalesce((
          select true
          from domains d
          where d.account_id = $1
            and d.domain_name = m.from_domain
            and d.verification_status = 'Success'
        ), false))`,
    values: [
      first?.accountId,
      first?.mode,
      uuidBytesArray(mails.map(({ send }) => send?.idempotencyHash ?? null)),
      textArray(mails.map(({ send }) => send?.fromDomain ?? null)),
    ],
  });
  return new Set(rows.map(({ position }) => position));
}
