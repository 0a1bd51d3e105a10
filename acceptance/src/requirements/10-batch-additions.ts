import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.3: several mails in one request, which Postern adds to the interface. */
export const batchAdditions: RequirementTable = {
  "10.3-01": decision("POST /send/batch answers 202 with a verdict for each mail in order: the answer of POST /send"),
  "10.3-02": decision(
    "A mail of a batch that is refused has the status, code and details of POST /send in its verdict",
  ),
  "10.3-03": decision("A field of a mail replaces its default, and a problem names the mail or the default"),
  "10.3-04": decision("A batch of which no mail is accepted is 422 and has the verdicts"),
  "10.3-05": decision("A batch counts as one request for the rate limit"),
  "10.3-06": decision(
    "The header Idempotency-Key gives each mail a key with its index; the same batch again is a repeat",
  ),
  "10.3-07": decision("Two equal keys in one batch are a repeat, or 409 for the mail with another payload"),
  "10.3-08": decision("A batch without mails, or with more than 100, is 422"),
  "10.3-09": decision(
    "A batch is 413 if it has more than 8 MiB, or its mails have when their defaults are written out",
  ),
};
