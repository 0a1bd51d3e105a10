import type { Canaries } from "../leaks/canaries.ts";
import { canaryMail } from "../leaks/canary-requests.ts";
import type { MarkedAccount } from "./marked-account.ts";
import type { MarkedRequest } from "./marked-requests.ts";

const path = "/api/v1/send";

/** Sends that are accepted, repeated, in conflict, unreadable, too large, of another type and with a wrong header. */
export function mailRequests(canaries: Canaries, { from }: MarkedAccount): MarkedRequest[] {
  const mail = (changes: object = {}) =>
    canaryMail(canaries, from, {
      headers: { [`X-${canaries.make("path or field")}`]: canaries.make("body") },
      metadata: { [canaries.make("path or field")]: canaries.make("body") },
      tags: [canaries.make("body")],
      attachments: [attachment(canaries)],
      ...changes,
    });
  const first = mail();
  const post = (body: unknown, headers?: Record<string, string>): MarkedRequest => ({
    method: "POST",
    path,
    body,
    ...(headers !== undefined && { headers }),
  });
  return [
    post(first),
    post(first),
    post({ ...first, subject: canaries.make("subject") }),
    post(mail({ from: `a@${canaries.make("address")}.io` })),
    post(mail({ text: canaries.make("body").repeat(400_000) })),
    post(mail(), { "content-type": `text/${canaries.make("path or field")}` }),
    post(mail(), { "content-type": `application/json; charset=${canaries.make("path or field")}` }),
    post(mail(), { "content-encoding": canaries.make("path or field") }),
    post(mail(), { "idempotency-key": `${canaries.make("idempotency key")}ä` }),
    post(mail(), { "idempotency-key": canaries.make("idempotency key") }),
    { ...post({ mails: [mail(), { subject: [canaries.make("subject")] }] }), path: `${path}/batch` },
    {
      ...post({ defaults: { to: [canaries.make("address")] }, mails: [{}, canaries.make("body")] }),
      path: `${path}/batch`,
    },
    { ...post(mail()), path: `${path}/validate` },
  ];
}

function attachment(canaries: Canaries) {
  return {
    filename: `${canaries.make("name")}.pdf`,
    content: Buffer.from(canaries.make("body")).toString("base64"),
    content_type: "application/pdf",
    content_id: canaries.make("name"),
  };
}
