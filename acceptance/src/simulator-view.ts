import { createClient } from "./client.ts";

/** What reached the provider, as the simulator in its place tells it. */
export interface SimulatorView {
  hasIdentity(domain: string): Promise<boolean>;
  /** Mails to this address that were accepted, as the provider's records of them. */
  mailsTo(address: string): Promise<{ messageId: string }[]>;
  /** One mail as its reader would see it. */
  // biome-ignore lint/suspicious/noExplicitAny: like the body of an answer, it is looked at and not believed
  mail(messageId: string): Promise<any>;
}

// The simulator wants requests to look signed and lets anyone sign.
const signed = {
  authorization: `AWS4-HMAC-SHA256 Credential=simulator/20260101/any/ses/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`,
  "x-amz-date": "20260101T000000Z",
};

export function createSimulatorView(url: string): SimulatorView {
  const ask = createClient(url);
  return {
    async hasIdentity(domain) {
      const { status, text } = await ask("GET", `/v2/email/identities/${domain}`, { headers: signed });
      if (status !== 200 && status !== 404) throw new Error(`the simulator answered ${status} ${text}`);
      return status === 200;
    },
    async mailsTo(address) {
      const { status, text, body } = await ask("GET", "/_simulator/ledger", { query: { recipient: address } });
      if (status !== 200) throw new Error(`the simulator answered ${status} ${text}`);
      return body.records;
    },
    async mail(messageId) {
      return (await ask("GET", `/_simulator/mails/${messageId}`)).body;
    },
  };
}
