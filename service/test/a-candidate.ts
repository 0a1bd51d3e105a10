import type { Candidate } from "../src/accept/accept-batch.ts";

interface Given {
  id: string;
  accountId: string;
  domain: string;
  recipients: string[];
  sealed?: Buffer;
}

/** A valid live request by JWT, without an idempotency key, as the accept batch takes it. */
export function aCandidate({ id, accountId, domain, recipients, sealed = Buffer.from("sealed") }: Given): Candidate {
  return {
    accountId,
    mode: "live",
    secretId: undefined,
    apiKeyId: undefined,
    send: {
      id,
      idempotencyKey: undefined,
      idempotencyHash: undefined,
      fingerprint: Buffer.alloc(0),
      payloadHash: Buffer.alloc(8),
      generatedKey: undefined,
      fromDomain: domain,
      fromAddress: `a@${domain}`,
      recipients,
      toAddresses: recipients,
      toCount: recipients.length,
      ccCount: 0,
      replyTo: undefined,
      subject: "Hello",
      sealed,
    },
  };
}
