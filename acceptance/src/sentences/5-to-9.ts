import { ours, type SentenceTable } from "../sentence.ts";

export const authentication: SentenceTable = {
  "5-01": "The header X-API-Key carries an API key",
  "5-02": "The header Authorization: Bearer carries a JWT",
  "5-03": "Rule 1: both send endpoints take either",
  "5-04": "Rule 2: domain, key, event and suppression endpoints need a JWT; a key is not enough",
  "5-05": "Rule 3: missing credentials are 401 UNAUTHORIZED, everywhere",
  "5-06": "Rule 3: invalid credentials are 401 UNAUTHORIZED",
  "5-07": "Rule 4: a revoked key is 401 at once",
  "5-08": "Rule 5: a key is made with a type and perhaps an expiry, and shown once",
  "5-09": ours("Rule 6: POST /api/v1/auth/login gives a JWT for email and password"),
  "5-10": ours("Rule 7: an expired key is 401 UNAUTHORIZED"),
  "5-11": ours("Rule 8: a test key sees its own mail and no live mail, and the reverse"),
  "5-12": ours("Rule 8: mail of a test key never reaches the provider"),
};

export const events: SentenceTable = {
  "6-01": "Each report of the provider is an event with the id of its send",
  "6-02": "Events are read with a JWT",
  "6-03": "`Delivery`: taken by the recipient's server; the send is delivered",
  "6-04": "`Bounce`, Permanent: the send is bounced and the address suppressed",
  "6-05": "`Bounce`, Transient: the send is bounced and the address stays off the list",
  "6-06": "`Complaint`: the send is complained and the address suppressed",
  "6-07": "`Suppression`: one for each recipient that was filtered out",
  "6-08": ours("A Suppression event also tells the reason and since when"),
};

export const errors: SentenceTable = {
  "7-01": "400 DOMAIN_NOT_VERIFIED for a send from a domain that is not verified",
  "7-02": "401 UNAUTHORIZED for missing or invalid credentials",
  "7-03": "404 NOT_FOUND for status, domain get and delete, key revocation and suppression removal",
  "7-04": "409 CONFLICT for a reused idempotency key and for a registered domain",
  "7-05": "422 VALIDATION_ERROR for an invalid body of a send or a domain",
  "7-06": "429 RATE_LIMIT_EXCEEDED for too many sends, and backing off helps",
  "7-07": ours("Errors are {success: false, error: {code, message, request_id, doc_url}}"),
  "7-08": "A failed send has error_code and error_message on its record",
};

export const limits: SentenceTable = {
  "8-01": "3 requests a second, the fourth is refused",
  "8-02": "20 requests in 10 seconds, the 21st is refused",
  "8-03": "100 requests a minute, the 101st is refused",
  "8-04": "Exceeding a window is 429 RATE_LIMIT_EXCEEDED",
  "8-05": "Events: limit is 50 unless given",
  "8-06": "Events: limit is 100 at most",
  "8-07": "Suppressions: limit is 50 unless given",
  "8-08": "page is 1 unless given, for events and suppressions",
  "8-09": "`to` has at least one recipient",
  "8-10": "A domain may take 72 hours to verify: meanwhile it is Pending",
  "8-11": ours("What is within every window is never refused, and a refusal says when to come again"),
  "8-12": ours("Limits count per account and mode, over all its keys"),
  "8-13": ours("Suppressions: limit is 100 at most"),
  "8-14": ours("A send has at most 50 recipients over to, cc and bcc"),
};

export const versioning: SentenceTable = {
  "9-01": "The version stands in the path: /api/v1/",
  "9-02": "No endpoint answers without it",
};
