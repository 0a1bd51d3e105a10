import type { Database } from "../../src/db/database.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import type { FeedbackCell } from "../cell/feedback-cell.ts";
import { changeSimulator } from "../cell/simulator-control.ts";
import { type Cause, type FaultCase, faultCases, healthyAccount } from "../faults/fault-cases.ts";
import { resetQueue, useUnknownConfigurationSet } from "../faults/fault-database.ts";
import type { TestSender } from "../sends/sending-client.ts";
import { until } from "../until.ts";
import type { Canaries } from "./canaries.ts";
import { type ApiRequest, canaryMail } from "./canary-requests.ts";

type SesFaultCase = FaultCase & { cause: Exclude<Cause, { by: "intermediary" } | { by: "endpoint" }> };

/** A case without an answer takes 15 seconds, so only larger runs include it. */
const unansweredFrom = 50;

/** A selection of the faults that SES itself can cause, spread over the list. The first is a simulator rule. */
export function chooseFaults(count: number): SesFaultCase[] {
  const known = faultCases.filter(
    (one): one is SesFaultCase => one.cause.by !== "intermediary" && one.cause.by !== "endpoint",
  );
  const cases = known.filter(
    ({ cause }) => count >= unansweredFrom || cause.by !== "rule" || cause.isUnanswered !== true,
  );
  const step = Math.max(1, cases.length / count);
  return cases.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

export function faultDomain(number: number): string {
  return `fault-${number}.io`;
}

interface Fixture {
  cell: FeedbackCell;
  request: ApiRequest;
  canaries: Canaries;
  sender: TestSender;
}

/** Sends a mail with canaries under this fault. Returns the id of the send. */
export async function sendWithFault(
  { cell, request, canaries, sender }: Fixture,
  faultCase: SesFaultCase,
  number: number,
): Promise<string> {
  const { db, simulator } = cell;
  const domain = await aVerifiedDomain(db, sender.accountId, faultDomain(number));
  await injectFault(cell, canaries, faultCase, domain);
  const mail = canaryMail(canaries, `orders@${domain}`);
  const { status, body } = await request("POST", "/api/v1/send", { "x-api-key": sender.key }, mail);
  if (status !== 202) throw new Error(`${faultCase.name}: the send was answered ${status}`);
  await until(`an attempt despite ${faultCase.name}`, 30, () => hasAttempt(db, body.id));
  if (faultCase.cause.by === "account") await changeSimulator(simulator, "PATCH", "account", healthyAccount);
  await resetQueue(db);
  return body.id;
}

/** The provider's error message contains a canary where the simulator lets us choose it. */
async function injectFault(
  { db, simulator }: FeedbackCell,
  canaries: Canaries,
  { cause }: SesFaultCase,
  domain: string,
) {
  switch (cause.by) {
    case "rule": {
      const hasName = "name" in cause.fault;
      const message = hasName && { message: messageWith(cause.fault, canaries.make("provider message")) };
      const rule = { match: { fromDomain: domain }, fault: { ...cause.fault, ...message } };
      return changeSimulator(simulator, "POST", "rules", rule);
    }
    case "account":
      return changeSimulator(simulator, "PATCH", "account", cause.change);
    case "unknown-set":
      return useUnknownConfigurationSet(db, domain);
    case "unknown-domain":
  }
}

function messageWith(fault: object, canary: string): string {
  const message = "message" in fault ? String(fault.message) : "Refused:";
  return `${message} ${canary}@example.io`;
}

async function hasAttempt(db: Database, id: string): Promise<boolean> {
  const rows = await db.query({
    name: "has-attempt",
    text: `
      select 1 from sends where id = $1 and status <> 'queued'
      union all
      select 1 from send_attempts where send_id = $1`,
    values: [id],
  });
  return rows.length > 0;
}
