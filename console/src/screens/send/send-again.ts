import type { SendContent, SendRecord, SendRequest } from "../../api/api-types.ts";
import { keyOf, type RecipientOutcome } from "./outcome.ts";

/** Recipients that surely have no copy. One in doubt, or still on its way, may have one. */
export function withoutMail(outcomes: readonly RecipientOutcome[]): string[] {
  return outcomes
    .filter(({ state, deliveredAt, isForwarded }) => {
      if (isForwarded || deliveredAt !== undefined) return false;
      return state === "bounced" || state === "suppressed" || state === "failed";
    })
    .map(({ address }) => keyOf(address));
}

/** The request of the first send. With `only`, the others are left out; `to` is never empty. */
export function requestAgain(
  content: SendContent,
  { tags, metadata }: Pick<SendRecord, "tags" | "metadata">,
  only: readonly string[] | undefined,
): SendRequest {
  const wanted = (addresses: string[]) =>
    only === undefined ? addresses : addresses.filter((address) => only.includes(keyOf(address)));
  const [to, cc, bcc] = [wanted(content.to), wanted(content.cc), wanted(content.bcc)];
  const { from, subject, html, text, reply_to, headers } = content;
  const body = html === null ? { text: text ?? "" } : { html, ...(text !== null && { text }) };
  return {
    from,
    subject,
    ...lists(to, cc, bcc),
    ...(reply_to !== null && { reply_to }),
    ...body,
    ...(headers && { headers }),
    ...(tags && { tags }),
    ...(metadata && { metadata }),
  };
}

/** The API needs a recipient in `to`. Those who are left of `cc` may stand there: they are visible to all anyway. */
function lists(to: string[], cc: string[], bcc: string[]): { to: string[]; cc?: string[]; bcc?: string[] } {
  if (to.length > 0) return { to, ...(cc.length > 0 && { cc }), ...(bcc.length > 0 && { bcc }) };
  if (cc.length > 0) return { to: cc, ...(bcc.length > 0 && { bcc }) };
  const [first, ...rest] = bcc;
  return { to: first === undefined ? [] : [first], ...(rest.length > 0 && { bcc: rest }) };
}
