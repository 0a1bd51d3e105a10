import type { Database } from "../src/db/database.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type BadDay, badDays } from "./bad-days.ts";
import type { Canaries } from "./canaries.ts";
import { type Ask, canaryMail } from "./canary-requests.ts";
import { beginAnew } from "./day-database.ts";
import type { FeedbackCell } from "./feedback-cell.ts";
import type { TestSender } from "./sending-client.ts";
import { changeSimulator } from "./simulator-control.ts";
import { until } from "./until.ts";

type RuleDay = BadDay & { cause: { by: "rule" } };

/** Faults of the provider that are answered, spread over all of them; a silent one costs 15 seconds and says nothing. */
export function chooseDays(count: number): RuleDay[] {
  const answered = badDays.filter((day): day is RuleDay => day.cause.by === "rule" && day.cause.isSilent !== true);
  const step = Math.max(1, answered.length / count);
  return Array.from(
    { length: Math.min(count, answered.length) },
    (_, index) => answered[Math.floor(index * step)],
  ).filter((day) => day !== undefined);
}

export function dayDomain(number: number): string {
  return `fault-${number}.io`;
}

interface Stage {
  cell: FeedbackCell;
  ask: Ask;
  canaries: Canaries;
  sender: TestSender;
}

/** A mail with canaries meets this fault, and the provider's words have one of their own. Returns the id of the send. */
export async function meetFault({ cell, ask, canaries, sender }: Stage, day: RuleDay, number: number): Promise<string> {
  const { db, simulator } = cell;
  const domain = await aVerifiedDomain(db, sender.accountId, dayDomain(number));
  const words = "name" in day.cause.fault && {
    message: wordsOf(day.cause.fault, canaries.make("words of the provider")),
  };
  await changeSimulator(simulator, "POST", "rules", {
    match: { fromDomain: domain },
    fault: { ...day.cause.fault, ...words },
  });
  const { status, body } = await ask(
    "POST",
    "/api/v1/send",
    { "x-api-key": sender.key },
    canaryMail(canaries, `orders@${domain}`),
  );
  if (status !== 202) throw new Error(`${day.name}: the send was answered ${status}`);
  await until(`an attempt in spite of ${day.name}`, 20, () => isTried(db, body.id));
  await beginAnew(db);
  return body.id;
}

function wordsOf(fault: object, canary: string): string {
  const message = "message" in fault ? String(fault.message) : "Refused:";
  return `${message} ${canary}@example.io`;
}

async function isTried(db: Database, id: string): Promise<boolean> {
  const rows = await db.query({
    name: "is-tried",
    text: `
      select 1 from sends where id = $1 and status <> 'queued'
      union all
      select 1 from send_attempts where send_id = $1`,
    values: [id],
  });
  return rows.length > 0;
}
