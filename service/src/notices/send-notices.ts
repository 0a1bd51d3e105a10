import { type AcceptDeps, acceptSend } from "../accept/accept-send.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { type Address, type ParsedMailbox, parseAddress } from "../mail-address.ts";
import type { SendRequest } from "../sends/send-request.ts";
import { type Cause, findCauses, findSystemAccount } from "./find-causes.ts";
import { noticeText } from "./notice-text.ts";

export interface NoticeDeps {
  db: Database;
  log: Log;
  /** Its domain is verified for the system account. */
  sender: ParsedMailbox;
  operatorEmail: Address | undefined;
  openAccept: () => Promise<AcceptDeps>;
}

const maxCauses = 200;
const maxKnown = 10_000;

/** Mails notices through Postern itself. The accept path and its idempotency keys keep a second try from sending a second mail. */
export function noticeChores(deps: NoticeDeps): Chore[] {
  const known = new Set<string>();
  let opened: ReturnType<NoticeDeps["openAccept"]> | undefined;
  return [
    {
      name: "send-notices",
      pauseSeconds: 60,
      run: async () => {
        opened ??= deps.openAccept();
        // A failure to open must not be remembered.
        const accept = await opened.catch((error: unknown) => {
          opened = undefined;
          throw error;
        });
        await accept.quotas.refresh();
        await sendNotices(deps, accept, known);
      },
    },
  ];
}

/** `known`: keys of notices that this process need not send again. Only a shortcut, because a repeat uses up the rate limit. */
export async function sendNotices(deps: NoticeDeps, accept: AcceptDeps, known: Set<string>): Promise<number> {
  const { db, log, sender } = deps;
  const accountId = await findSystemAccount(db, sender.address.domain);
  if (accountId === undefined) {
    log.warn({ domain: sender.address.domain }, "notices.sender-not-usable");
    return 0;
  }
  if (known.size > maxKnown) known.clear();
  let sent = 0;
  for (const notice of (await findCauses(db, maxCauses)).flatMap((cause) => noticesOf(deps, cause))) {
    if (known.has(notice.key)) continue;
    const acceptance = await acceptSend(
      accept,
      { accountId, mode: "live", secretId: undefined, apiKeyId: undefined },
      notice.request,
    );
    // The next run goes on where the rate limit of the system account stopped this one.
    if (acceptance.kind === "over-limit") return sent;
    if (acceptance.kind !== "stored" && acceptance.kind !== "repeat" && acceptance.kind !== "conflict")
      log.warn({ notice: notice.key, refused: acceptance.kind }, "notices.refused");
    // A conflict is a notice that was sent before with other numbers in its text.
    const isSent = acceptance.kind === "stored" || acceptance.kind === "repeat" || acceptance.kind === "conflict";
    if (isSent) known.add(notice.key);
    if (acceptance.kind !== "stored") continue;
    sent += 1;
    log.info({ notice: notice.key, send_id: acceptance.accepted.id }, "notices.sent");
  }
  return sent;
}

interface Notice {
  key: string;
  request: SendRequest;
}

function noticesOf({ sender, operatorEmail }: NoticeDeps, cause: Cause): Notice[] {
  const users = cause.emails.flatMap((email) => {
    const address = parseAddress(email);
    return "problem" in address ? [] : [address];
  });
  const audiences = [
    ["users", users],
    ["operator", operatorEmail === undefined ? [] : [operatorEmail]],
  ] as const;
  return audiences
    .filter(([, to]) => to.length > 0)
    .map(([audience, to]) => {
      const { subject, text } = noticeText(cause, audience);
      const key = `notice:${cause.key}:${audience}`;
      return { key, request: toRequest(sender, [...to], { subject, text }, key) };
    });
}

/** Recipients of one account are colleagues, so they may see each other. */
export function toRequest(
  from: ParsedMailbox,
  to: Address[],
  { subject, text }: { subject: string; text: string },
  idempotencyKey: string,
): SendRequest {
  return {
    from,
    to,
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject,
    html: undefined,
    text,
    idempotencyKey,
    given: {
      from: from.given,
      to: to.map(({ given }) => given),
      subject,
      html: undefined,
      text,
      cc: undefined,
      bcc: undefined,
      reply_to: undefined,
    },
  };
}
