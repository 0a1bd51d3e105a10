import { randomUUIDv7 } from "node:crypto";
import { openEmails, openQueue, storeAndQueue } from "./emails-queue.ts";
import { serveSends } from "./serve-sends.ts";

/**
 * A diagnostic, not a competitor: a row in PostgreSQL, then a job with its id in BullMQ, without any check. Redis syncs every write to
 * disk, because a 202 promises that the mail is not lost.
 */
const queue = await openQueue();
const pool = await openEmails();
await serveSends((mail) => storeAndQueue({ pool, queue, accountId: null }, randomUUIDv7(), mail));
