import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import type { Environment } from "../src/config.ts";
import { change } from "../test/send-rows.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { posternPath } from "../test/spawn-postern.ts";
import type { Canaries } from "./canaries.ts";
import { type Ask, canaryMail } from "./canary-requests.ts";
import { envelopeText } from "./event-texts.ts";
import type { FeedbackCell } from "./feedback-cell.ts";
import { readWholeLedger } from "./ledger-tail.ts";
import { createRawAws } from "./raw-aws.ts";
import type { TestSender } from "./sending-client.ts";
import { changeSimulator } from "./simulator-control.ts";
import { until } from "./until.ts";

/** Reports that are genuine, that nobody understands, and that somebody made up; by both doors. */
export async function useFeedback(cell: FeedbackCell, ask: Ask, canaries: Canaries): Promise<number> {
  const mails = readWholeLedger(cell.simulator);
  for (const type of ["Bounce", "Complaint", "Delivery"]) {
    await changeSimulator(cell.simulator, "POST", `mails/${mails[0]?.messageId}/events`, { type });
  }
  const aws = createRawAws(cell.simulator.url);
  const odd = () => [
    canaries.make("message of SNS"),
    `{"eventType":"Bounce","mail":{"messageId":"${canaries.make("message of SNS")}"`,
    JSON.stringify({ eventType: "Bounce", mail: { source: canaries.make("message of SNS") } }),
    JSON.stringify({ eventType: canaries.make("message of SNS"), mail: { messageId: "m", tags: {} } }),
  ];
  const bodies = [...odd(), ...odd().map((message) => envelopeText(cell.topicArn, message))];
  for (const body of bodies) await aws.sendMessage(cell.queueUrl, body);
  for (const body of [...odd(), ...odd().map((message) => envelopeText(cell.topicArn, message))]) {
    await ask("POST", "/api/v1/feedback/ses", { "content-type": "text/plain" }, body);
  }
  aws.close();
  await until("the queue of events is empty", 60, async () => (await cell.queued()) === 0);
  return mails.length + 2 * bodies.length;
}

/** PostgreSQL refuses and quotes the row: in the detail of a violated rule, and in the message of a data exception. */
export async function useRefusals(
  { db }: FeedbackCell,
  ask: Ask,
  canaries: Canaries,
  sender: TestSender,
  worker: PosternProcess,
): Promise<number> {
  await change(db, "alter table sends add constraint no_trip check (subject not like 'trip %') not valid");
  await change(
    db,
    `create function quote() returns trigger language plpgsql as $$
      begin
        if new.subject like 'quote %' then raise exception using errcode = '22023', message = new.subject; end if;
        return new;
      end $$`,
  );
  await change(db, "create trigger quote before insert on sends for each row execute function quote()");
  const key = { "x-api-key": sender.key };
  let refused = 0;
  for (const word of ["trip", "quote"]) {
    const mail = canaryMail(canaries, sender.from, { subject: `${word} ${canaries.make("subject")}` });
    if ((await ask("POST", "/api/v1/send", key, mail)).status === 500) refused += 1;
  }
  // What the worker learnt cannot be written down: the row it is refused with has the provider's words.
  await change(db, "alter table send_attempts add constraint no_words check (detail is null) not valid");
  await ask("POST", "/api/v1/send", key, canaryMail(canaries, "orders@fault-0.io"));
  await worker.logged("delivery.not-settled-yet");
  await change(db, "alter table send_attempts drop constraint no_words");
  return refused + 1;
}

/** Processes that do not come up say why, and not with which secrets. */
export async function refuseToStart(environment: Environment, canaries: Canaries) {
  const secretText = () => canaries.keep("secret of the environment", randomBytes(32).toString("base64url"));
  const password = canaries.make("secret of the environment");
  const broken: Environment[] = [
    { ...environment, API_KEY_PEPPER: secretText(), CONTENT_KEY: `UPPER:${secretText()}`, TOKEN_SIGNING_KEY: "" },
    { ...environment, DATABASE_URL: `postgres://postern:${password}@127.0.0.1:1/postern` },
    { ...environment, DATABASE_URL: `mysql://postern:${password}@127.0.0.1/postern` },
    { ...environment, CONTENT_KEY: `other:${secretText()}` },
  ];
  const ends = await Promise.all(broken.map(endOfStart));
  return { said: ends.map(({ said }) => said), refused: ends.filter(({ code }) => code !== null && code > 0).length };
}

async function endOfStart(env: Environment): Promise<{ said: string; code: number | null }> {
  const child = spawn(process.execPath, [posternPath, "api"], { env, cwd: tmpdir(), timeout: 30_000 });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { said: `${stdout}${stderr}`, code };
}
