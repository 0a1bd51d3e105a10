import type { Database } from "../src/db/database.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type BadDay, badDays, type Cause, goodAccount } from "./bad-days.ts";
import type { Canaries } from "./canaries.ts";
import { type Ask, canaryMail } from "./canary-requests.ts";
import { beginAnew, useUnknownSet } from "./day-database.ts";
import type { FeedbackCell } from "./feedback-cell.ts";
import type { TestSender } from "./sending-client.ts";
import { changeSimulator } from "./simulator-control.ts";
import { until } from "./until.ts";

type MetDay = BadDay & { cause: Exclude<Cause, { by: "go-between" } | { by: "endpoint" }> };

/** A silent provider costs 15 seconds. */
const silentFrom = 50;

/** Faults that SES itself can show, spread over all of them. The first is a rule of the simulator. */
export function chooseDays(count: number): MetDay[] {
  const known = badDays.filter((day): day is MetDay => day.cause.by !== "go-between" && day.cause.by !== "endpoint");
  const days = known.filter(({ cause }) => count >= silentFrom || cause.by !== "rule" || cause.isSilent !== true);
  const step = Math.max(1, days.length / count);
  return days.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
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

/** A mail with canaries meets this fault. Returns the id of the send. */
export async function meetFault({ cell, ask, canaries, sender }: Stage, day: MetDay, number: number): Promise<string> {
  const { db, simulator } = cell;
  const domain = await aVerifiedDomain(db, sender.accountId, dayDomain(number));
  await bringAbout(cell, canaries, day, domain);
  const mail = canaryMail(canaries, `orders@${domain}`);
  const { status, body } = await ask("POST", "/api/v1/send", { "x-api-key": sender.key }, mail);
  if (status !== 202) throw new Error(`${day.name}: the send was answered ${status}`);
  await until(`an attempt in spite of ${day.name}`, 30, () => isTried(db, body.id));
  if (day.cause.by === "account") await changeSimulator(simulator, "PATCH", "account", goodAccount);
  await beginAnew(db);
  return body.id;
}

/** The provider's words have a canary of their own, where they are ours to choose. */
async function bringAbout({ db, simulator }: FeedbackCell, canaries: Canaries, { cause }: MetDay, domain: string) {
  switch (cause.by) {
    case "rule": {
      const isNamed = "name" in cause.fault;
      const words = isNamed && { message: wordsOf(cause.fault, canaries.make("words of the provider")) };
      const rule = { match: { fromDomain: domain }, fault: { ...cause.fault, ...words } };
      return changeSimulator(simulator, "POST", "rules", rule);
    }
    case "account":
      return changeSimulator(simulator, "PATCH", "account", cause.change);
    case "unknown-set":
      return useUnknownSet(db, domain);
    case "unknown-domain":
  }
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
