import { createClient } from "./client.ts";

/** The mails and identities that the simulated provider received. */
export interface SimulatorView {
  hasIdentity(domain: string): Promise<boolean>;
  /** The records of the accepted mails to this address. */
  mailsTo(address: string): Promise<{ messageId: string }[]>;
  /** One mail as the recipient sees it. */
  // biome-ignore lint/suspicious/noExplicitAny: an untrusted response
  mail(messageId: string): Promise<any>;
  /** The headers and the body that recipients receive. */
  rawMail(messageId: string): Promise<string>;
  /** The bytes of an attachment, by its position in the mail. */
  attachment(messageId: string, number: number): Promise<Buffer>;
  /** The provider accepts the next mail to this address and then reports that it rejects it. */
  rejectNextMailTo(address: string): Promise<void>;
}

// The simulator requires a signature header but does not verify the signature.
const signed = {
  authorization: `AWS4-HMAC-SHA256 Credential=simulator/20260101/any/ses/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`,
  "x-amz-date": "20260101T000000Z",
};

export function createSimulatorView(url: string): SimulatorView {
  const request = createClient(url);
  return {
    async hasIdentity(domain) {
      const { status, text } = await request("GET", `/v2/email/identities/${domain}`, { headers: signed });
      if (status !== 200 && status !== 404) throw new Error(`the simulator answered ${status} ${text}`);
      return status === 200;
    },
    async mailsTo(address) {
      const { status, text, body } = await request("GET", "/_simulator/ledger", { query: { recipient: address } });
      if (status !== 200) throw new Error(`the simulator answered ${status} ${text}`);
      return body.records;
    },
    async mail(messageId) {
      return (await request("GET", `/_simulator/mails/${messageId}`)).body;
    },
    async rawMail(messageId) {
      const { status, text } = await request("GET", `/_simulator/mails/${messageId}/raw`);
      if (status !== 200) throw new Error(`the simulator answered ${status} ${text}`);
      return text;
    },
    async attachment(messageId, number) {
      const path = `/_simulator/mails/${messageId}/attachments/${number}`;
      const { status, text, bytes } = await request("GET", path);
      if (status !== 200) throw new Error(`the simulator answered ${status} ${text}`);
      return bytes;
    },
    async rejectNextMailTo(address) {
      const rule = { match: { recipient: address }, times: 1, outcome: { kind: "reject" } };
      const { status, text } = await request("POST", "/_simulator/rules", { body: rule });
      if (status !== 201) throw new Error(`the simulator answered ${status} ${text}`);
    },
  };
}
