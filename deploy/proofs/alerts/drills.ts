import { randomUUID } from "node:crypto";
import { region } from "../../../chaos/cell/programs.ts";
import { emptyQueue } from "../../../service/proofs/cell/empty-queue.ts";
import { createRawAws } from "../../../service/proofs/cell/raw-aws.ts";
import { createSendingClient } from "../../../service/proofs/sends/sending-client.ts";
import { untilItWorks } from "../../../service/proofs/webhooks/reported-sends.ts";
import { readConfig } from "../../../service/src/config.ts";
import { postgresClient } from "../../../service/src/db/postgres-client.ts";
import { deadLetterQueueNameOf } from "../../../service/src/provider/cell-names.ts";
import { findQueueUrl, queueCalls } from "../../../service/src/provider/ses/setup/queue-calls.ts";
import { makePartitionsAhead } from "../../../service/src/storage/partitions.ts";
import { createEndpoint } from "../../../service/src/webhooks/endpoint-store.ts";
import { change } from "../../../service/test/send-rows.ts";
import type { DrilledCell, Load } from "./drilled-cell.ts";

export interface Drill {
  name: string;
  alert: string;
  /** Longer than two minutes only where the alert waits by its definition. */
  firesWithin?: number;
  /** Seconds of `firesWithin` that the alert waits by its definition. */
  waits?: number;
  start(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Drills of one list follow each other; the lists run at the same time, because their faults do not meet. */
export function independentDrills(cell: DrilledCell, load: Load): Drill[][] {
  const { db, workers } = cell;
  const [first] = workers;
  return [
    // All of them are about the way of a mail to SES and back.
    [
      bounceStorm(cell, load),
      feedbackGap(cell),
      deadLetters(cell),
      fault(cell, "quota used up", "PosternQuotaUsedUp", { kind: "daily-quota", form: "limit-exceeded" }),
      fault(cell, "sending paused", "PosternSendingPaused", {
        kind: "error",
        name: "SendingPausedException",
        message: "Sending is paused for this account.",
      }),
      fault(cell, "credentials denied", "PosternCredentialsDenied", {
        kind: "error",
        name: "UnrecognizedClientException",
        message: "The security token included in the request is invalid.",
      }),
    ],
    [
      {
        name: "worker crashed",
        alert: "PosternProcessDown",
        start: async () => first?.stop(),
        end: async () => first?.start(),
      },
      {
        name: "worker frozen",
        alert: "PosternProcessDown",
        start: async () => first?.signal("SIGSTOP"),
        end: async () => first?.signal("SIGCONT"),
      },
    ],
    [
      {
        name: "disk nearly full",
        alert: "PosternDatabaseFull",
        start: () => change(db, "update database_sizes set bytes = bytes + 950000000"),
        end: () => change(db, "update database_sizes set bytes = bytes - 950000000"),
      },
    ],
    [
      {
        name: "last partition near",
        alert: "PosternPartitionsEnd",
        start: () => dropPartitionsAhead(cell),
        end: () => makePartitionsAhead(db, "month"),
      },
    ],
    [failingWebhook(cell)],
    [heldSnapshot(cell)],
  ];
}

/** Each of them stops the whole cell, so they come one after the other. */
export function drillsOfTheCell({ db, workers, postgres }: DrilledCell): Drill[] {
  return [
    {
      name: "all workers crashed",
      alert: "PosternNoWorker",
      start: () => Promise.all(workers.map((worker) => worker.stop())),
      end: () => Promise.all(workers.map((worker) => worker.start())),
    },
    {
      name: "database gone",
      alert: "PosternDatabaseGone",
      start: () => postgres.stopImmediately(),
      end: () => postgres.start(),
    },
    {
      name: "schema too old",
      alert: "PosternSchemaMismatch",
      start: () =>
        change(
          db,
          "update schema_migrations set name = name || '-hidden' where id = (select max(id) from schema_migrations)",
        ),
      end: () => change(db, "update schema_migrations set name = replace(name, '-hidden', '')"),
    },
  ];
}

function fault(
  { simulatorUrl }: DrilledCell,
  name: string,
  alert: string,
  injected: object,
  operation = "SendEmail",
): Drill {
  let ruleId: string | undefined;
  return {
    name,
    alert,
    async start() {
      ruleId = (await control(simulatorUrl, "POST", "rules", { operation, fault: injected })).id;
    },
    end: () => control(simulatorUrl, "DELETE", `rules/${ruleId}`),
  };
}

/** Longer than FEEDBACK_GAP_SECONDS of the cell, no worker can read the queue. */
function feedbackGap(cell: DrilledCell): Drill {
  const injected = { kind: "http-error", status: 503, errorType: true, accepted: false };
  const drill = fault(cell, "feedback gap", "PosternFeedbackMissing", injected, "ReceiveMessage");
  return { ...drill, waits: 60, firesWithin: 240 };
}

function deadLetters({ simulatorUrl }: DrilledCell): Drill {
  const calls = queueCalls(region, simulatorUrl);
  const urlOf = async () => (await findQueueUrl(calls, deadLetterQueueNameOf("AA"))) ?? "";
  const aws = createRawAws(simulatorUrl, 1);
  return {
    name: "dead-letter queue of SQS",
    alert: "PosternDeadLetters",
    start: async () => aws.sendMessage(await urlOf(), "{}"),
    async end() {
      await emptyQueue(calls, await urlOf());
      aws.close();
    },
  };
}

/** All but two days of the request log, which has daily partitions and no rows ahead. */
async function dropPartitionsAhead({ db }: DrilledCell): Promise<void> {
  const rows = await change(
    db,
    `select c.relname as name
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'logged_requests'::regclass
     order by pg_get_expr(c.relpartbound, c.oid) desc`,
  );
  const ahead = rows.map(({ name }) => String(name)).filter((name) => !name.endsWith("_default"));
  // Statements of the cell lock the same tables in another order.
  for (const name of ahead.slice(0, -2)) await untilItWorks(() => change(db, `drop table "${name}"`));
}

/** 7 % of the mail so far, from every account, so that the guard holds none of them before the rate of the cell is above 5 %. */
function bounceStorm({ apiUrl, senders }: DrilledCell, load: Load): Drill {
  const client = createSendingClient(2);
  const other = senders.at(-1);
  if (other === undefined) throw new Error("the cell has no senders");
  const batch = (name: string, size: number) =>
    Array.from({ length: size }, () => ({ to: [`${name}+${randomUUID()}@simulator.amazonses.com`] }));
  return {
    name: "bounce storm",
    alert: "PosternBounceRate",
    async start() {
      const bounces = Math.max(300, 0.07 * load.accepted());
      const size = Math.ceil(bounces / senders.length);
      for (const sender of senders) await client.sendBatch(apiUrl, sender, batch("bounce", size));
    },
    /** The rate of the hour falls when good mail follows. */
    async end() {
      for (let number = 0; number < 120; number++) await client.sendBatch(apiUrl, other, batch("success", 50));
      client.close();
    },
  };
}

/** Postern refuses to connect to a private address, which fails every attempt. */
function failingWebhook({ db, environment, senders, apiUrl }: DrilledCell): Drill {
  const sender = senders[0];
  if (sender === undefined) throw new Error("the cell has no senders");
  const client = createSendingClient(1);
  return {
    name: "webhook endpoint failing",
    alert: "PosternWebhookEndpointsFailing",
    async start() {
      const { contentKey } = readConfig(environment).secrets;
      const url = "https://10.0.0.1/hook";
      const account = db.forAccount(sender.accountId);
      await createEndpoint(account, contentKey, { mode: "live", url, description: null, types: ["send.sent"] });
      await client.send(apiUrl, sender, {});
      client.close();
    },
    end: () => change(db, "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user'"),
  };
}

function heldSnapshot({ databaseUrl }: DrilledCell): Drill {
  const session = new (postgresClient())({ connectionString: databaseUrl, application_name: "forgotten" });
  session.on("error", () => undefined);
  return {
    name: "snapshot kept open",
    alert: "PosternVacuumBlocked",
    waits: 300,
    firesWithin: 480,
    async start() {
      await session.connect();
      await session.query("begin isolation level repeatable read");
      await session.query("select txid_current()");
    },
    end: () => session.end(),
  };
}

async function control(simulatorUrl: string, method: string, path: string, body?: object): Promise<{ id?: string }> {
  const response = await fetch(`${simulatorUrl}/_simulator/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text === "" ? {} : JSON.parse(text);
}
