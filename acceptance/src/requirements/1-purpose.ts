import type { RequirementTable } from "../requirement.ts";

/** Section 0 is the text before the first section. */
export const purpose: RequirementTable = {
  "0-01": "Every endpoint answers under /api/v1/ of the base URL",
  "0-02": "Request and response bodies are JSON",
  "0-03": "Times are ISO 8601 strings in UTC",
  "1-01": "The API validates and queues a send and answers 202 before a worker processes it",
  "1-02": "The API removes suppressed recipients, reports them, and sends the mail to the other recipients",
  "1-03": "The sender domain must be registered and verified in the account",
  "1-04": "A send has a permanent id for reading its status from queued to the final status",
  "1-05": "Each report of the provider becomes an event of its send",
  "1-06": "A permanent bounce or a complaint adds the address to the suppression list",
  "1-07": "Registering a domain returns the DNS records to publish, and the verification status is readable",
  "1-08": "An account can create, list and revoke API keys for sending",
  "1-09": "The API has no templates, campaigns or contact lists",
  "1-10": "The API returns the 202 immediately, without waiting for the worker or the provider",
};
