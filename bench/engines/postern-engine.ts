import { acceptSend, type Sender } from "../../service/src/accept/accept-send.ts";
import { readConfig } from "../../service/src/config.ts";
import { type Database, openDatabase } from "../../service/src/db/database.ts";
import { openHints } from "../../service/src/db/hints.ts";
import { createLog } from "../../service/src/log.ts";
import { parseAddress, parseMailbox } from "../../service/src/mail-address.ts";
import { createMetrics } from "../../service/src/metrics.ts";
import { openAcceptDeps } from "../../service/src/processes/accept-deps.ts";
import { startDelivery } from "../../service/src/processes/start-delivery.ts";
import type { SendRequest } from "../../service/src/sends/send-request.ts";
import { runEngineProcess } from "./engine-process.ts";
import { callProvider, type Send, slots } from "./workload.ts";

/**
 * Postern as the API and the worker run it: acceptance with its limits, keys, suppressions and sealing, and delivery with its
 * pacing, leases and fences. Two differences: there is no HTTP, and a pause replaces the provider.
 */
const config = readConfig(process.env);
const log = createLog(config.logLevel);

await runEngineProcess({
  async openProducer() {
    const db = open("api");
    const deps = await openAcceptDeps(config, db);
    const senders = await listSenders(db);
    let accepted = 0;
    const accept = async (send: Send) => {
      accepted += 1;
      const { sender, domain } = senders[accepted % senders.length] ?? noSender();
      const { kind } = await acceptSend(deps, sender, requestFor({ ...send, from: `orders@${domain}` }));
      if (kind !== "stored") throw new Error(`a send was not stored: ${kind}`);
    };
    return { accept };
  },

  async openWorker(sent) {
    const db = open("worker");
    const metrics = createMetrics();
    // Called when a settlement is committed. The cast: delivery passes the status and nothing else.
    metrics.sendsSettled.inc = (({ status }: { status: string }) => {
      if (status === "sent") sent();
    }) as typeof metrics.sendsSettled.inc;
    const submit = async () => {
      const providerMessageId = await callProvider();
      return { kind: "accepted", providerMessageId, requestId: undefined } as const;
    };
    const hints = openHints({ directUrl: config.database.directUrl, log });
    startDelivery(
      { config, db, hints, log, metrics },
      { mode: "live", provider: { submit }, slots, maxBytes: 64_000_000 },
    );
    return { left: () => countQueued(db) };
  },
});

function open(name: "api" | "worker"): Database {
  return openDatabase({
    ...config.database,
    applicationName: `postern-${name}`,
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
}

async function listSenders(db: Database): Promise<{ sender: Sender; domain: string }[]> {
  const rows = await db.query<Omit<Sender, "mode"> & { domain: string }>({
    name: "list-senders",
    text: `
      select d.account_id as "accountId", k.id as "apiKeyId", k.id as "secretId", d.domain_name as domain
      from domains d
      join api_keys k on k.account_id = d.account_id`,
  });
  return rows.map(({ domain, ...known }) => ({ domain, sender: { ...known, mode: "live" } }));
}

function noSender(): never {
  throw new Error("the database has no account with a verified domain");
}

/** The request that the API makes of a valid payload. */
function requestFor({ id, from, to, subject, text }: Send): SendRequest {
  const [sender, recipient] = [parseMailbox(from), parseAddress(to)];
  if ("problem" in sender || "problem" in recipient) throw new Error("the bench uses an invalid address");
  const nothing = { html: undefined, cc: undefined, bcc: undefined, reply_to: undefined };
  return {
    from: sender,
    to: [recipient],
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject,
    html: undefined,
    text,
    idempotencyKey: `order-${id}`,
    given: { from, to: [to], subject, text, ...nothing },
  };
}

async function countQueued(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: "count-queued",
    text: "select count(*) as count from send_queue",
  });
  return row?.count ?? Number.NaN;
}
