import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.2: mail that is cancelled, expires or waits for its time. */
export const timeAdditions: RequirementTable = {
  "10.2-01": decision("POST /send/:id/cancel ends a queued send as failed with CANCELLED, and its mail is not sent"),
  "10.2-02": decision("Cancelling a cancelled send answers 200 again, with the same record"),
  "10.2-03": decision("Cancelling a send that the provider accepted is 409, and the send stays as it is"),
  "10.2-04": decision("POST /send/cancel cancels the send with this idempotency key; an unknown key is 404"),
  "10.2-05": decision("Cancelling a send of another account is 404"),
  "10.2-06": decision("The record of a send has its expires_at; with ttl_seconds it is that long after queued_at"),
  "10.2-07": decision("A send that expires while it is queued ends as failed with EXPIRED, and its mail is not sent"),
  "10.2-08": decision(
    "An expires_at in the past or more than 30 days ahead is 422, and so are a ttl_seconds outside 1 to 2592000 and both together",
  ),
  "10.2-09": decision("The same key with another expires_at is 409"),
  "10.2-10": decision("A scheduled send is queued with its scheduled_at until that time, and is sent after it"),
  "10.2-11": decision("A scheduled_at more than 30 days ahead is 422, and so is an expires_at before it"),
  "10.2-12": decision("Cancelling a scheduled send answers 200, and its mail is not sent"),
  "10.2-13": decision("Cancelling a send that failed, bounced or was suppressed is 409, and the send stays as it is"),
  "10.2-14": decision("Cancelling a send whose outcome is unknown is 409, and the send goes on"),
};
