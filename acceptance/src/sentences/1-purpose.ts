import type { SentenceTable } from "../sentence.ts";

/** Section 0 is what stands before the first section. */
export const purpose: SentenceTable = {
  "0-01": "Every endpoint answers below /api/v1/ of the base address",
  "0-02": "Bodies are JSON, in requests and in answers",
  "0-03": "Times are ISO 8601 strings in UTC",
  "1-01": "A send is checked, queued and answered with 202 before it is processed",
  "1-02": "Suppressed recipients are filtered out, the others still get the mail, and the filtered ones are reported",
  "1-03": "The domain of the sender must be registered and verified in the account",
  "1-04": "A send has a lasting id by which its status can be read from queued to its end",
  "1-05": "What the provider reports is kept as an event of the send it is about",
  "1-06": "A permanent bounce and a complaint put the address on the suppression list by themselves",
  "1-07": "Registering a domain gives the DNS records to publish, and its verification status can be read",
  "1-08": "API keys for sending are made, listed and revoked",
  "1-09": "There are no templates, campaigns or contact lists",
};
