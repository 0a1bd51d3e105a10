import { decision, type RequirementTable } from "../requirement.ts";

export const authentication: RequirementTable = {
  "5-01": "The X-API-Key header carries an API key",
  "5-02": "The Authorization: Bearer header carries a JWT",
  "5-03": "Rule 1: both send endpoints accept either credential",
  "5-04": "Rule 2: domain, key, event and suppression endpoints require a JWT and refuse an API key",
  "5-05": "Rule 3: missing credentials are 401 UNAUTHORIZED, on every endpoint",
  "5-06": "Rule 3: invalid credentials are 401 UNAUTHORIZED",
  "5-07": "Rule 4: a revoked key is 401 immediately",
  "5-08": "Rule 5: a key has a type and an optional expiry, and the API shows it once",
  "5-09": decision("Rule 6: POST /api/v1/auth/login returns a JWT for an email and a password"),
  "5-10": decision("Rule 7: an expired key is 401 UNAUTHORIZED"),
  "5-11": decision("Rule 8: a test key reads test mail and no live mail, and a live key the reverse"),
  "5-12": decision("Rule 8: mail of a test key never reaches the provider"),
  "5-13": decision("Rule 6: a wrong password is 401 UNAUTHORIZED"),
};

export const events: RequirementTable = {
  "6-01": "Each report of the provider is an event with the id of its send",
  "6-02": "Reading events requires a JWT",
  "6-03": "`Delivery`: the recipient's mail server accepted the mail; the send is delivered",
  "6-04": "`Bounce`, Permanent: the send is bounced and the address is suppressed",
  "6-05": "`Bounce`, Transient: the send is bounced and the address is not suppressed",
  "6-06": "`Complaint`: the send is complained and the address is suppressed",
  "6-07": "`Suppression`: one event for each removed recipient",
  "6-08": decision("A Suppression event also has the reason and the time of the suppression"),
};

export const errors: RequirementTable = {
  "7-01": "400 DOMAIN_NOT_VERIFIED for a send from an unverified domain",
  "7-02": "401 UNAUTHORIZED for missing or invalid credentials",
  "7-03": "404 NOT_FOUND for status, domain get and delete, key revocation and suppression removal",
  "7-04": "409 CONFLICT for a reused idempotency key and for a registered domain",
  "7-05": "422 VALIDATION_ERROR for an invalid body of a send or a domain",
  "7-06": "429 RATE_LIMIT_EXCEEDED for excess sends, and a retry after a pause succeeds",
  "7-07": decision("Errors are {success: false, error: {code, message, request_id, doc_url}}"),
  "7-08": "The record of a failed send has error_code and error_message",
};

export const limits: RequirementTable = {
  "8-01": "The limit is 3 requests per second; the API refuses the fourth",
  "8-02": "The limit is 20 requests per 10 seconds; the API refuses the 21st",
  "8-03": "The limit is 100 requests per minute; the API refuses the 101st",
  "8-04": "Exceeding a window is 429 RATE_LIMIT_EXCEEDED",
  "8-05": "Events: the default limit is 50",
  "8-06": "Events: the maximum limit is 100",
  "8-07": "Suppressions: the default limit is 50",
  "8-08": "The default page is 1, for events and suppressions",
  "8-09": "`to` has at least one recipient",
  "8-10": "Verifying a domain may take 72 hours: until then it is Pending",
  "8-11": decision("The API never refuses a request within every window, and a refusal says when to retry"),
  "8-12": decision("Limits apply per account and mode, over all its keys"),
  "8-13": decision("Suppressions: the maximum limit is 100; a larger one counts as 100, and pagination.limit says so"),
  "8-14": decision("A send has at most 50 recipients over to, cc and bcc"),
};

export const versioning: RequirementTable = {
  "9-01": "The path contains the version: /api/v1/",
  "9-02": "No endpoint answers without the version",
};
