import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import type { Environment } from "../../src/config.ts";
import { change } from "../../test/send-rows.ts";
import type { PosternProcess } from "../../test/spawn-postern.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import type { FeedbackCell } from "../cell/feedback-cell.ts";
import { readWholeLedger } from "../cell/ledger-tail.ts";
import { createRawAws } from "../cell/raw-aws.ts";
import { changeSimulator } from "../cell/simulator-control.ts";
import { envelopeText } from "../feedback/event-texts.ts";
import type { TestSender } from "../sends/sending-client.ts";
import { until } from "../until.ts";
import type { Canaries } from "./canaries.ts";
import { type ApiRequest, canaryMail } from "./canary-requests.ts";

/** Genuine, unreadable and forged reports, through the queue and through the push endpoint. */
export async function useFeedback(cell: FeedbackCell, request: ApiRequest, canaries: Canaries): Promise<number> {
  const mails = readWholeLedger(cell.simulator);
  for (const type of ["Bounce", "Complaint", "Delivery"]) {
    await changeSimulator(cell.simulator, "POST", `mails/${mails[0]?.messageId}/events`, { type });
  }
  const aws = createRawAws(cell.simulator.url);
  const invalidMessages = () => [
    canaries.make("SNS message"),
    `{"eventType":"Bounce","mail":{"messageId":"${canaries.make("SNS message")}"`,
    JSON.stringify({ eventType: "Bounce", mail: { source: canaries.make("SNS message") } }),
    JSON.stringify({ eventType: canaries.make("SNS message"), mail: { messageId: "m", tags: {} } }),
  ];
  const pushHead = {
    "content-type": "text/plain",
    "x-amz-sns-message-type": "Notification",
    "x-amz-sns-topic-arn": cell.topicArn,
  };
  const bodies = [...invalidMessages(), ...invalidMessages().map((message) => envelopeText(cell.topicArn, message))];
  for (const body of bodies) await aws.sendMessage(cell.queueUrl, body);
  for (const body of [
    ...invalidMessages(),
    ...invalidMessages().map((message) => envelopeText(cell.topicArn, message)),
  ]) {
    await request("POST", "/api/v1/feedback/ses", pushHead, body);
  }
  aws.close();
  await until("the queue of events is empty", 60, async () => (await cell.queued()) === 0);
  return mails.length + 2 * bodies.length;
}

/** PostgreSQL errors that quote the row: in the detail of a constraint violation, and in the message of a data exception. */
export async function useRefusals(
  { db }: FeedbackCell,
  request: ApiRequest,
  canaries: Canaries,
  sender: TestSender,
  worker: PosternProcess,
): Promise<number> {
  await change(db, "alter table sends add constraint no_violation check (subject not like 'violation %') not valid");
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
  for (const word of ["violation", "quote"]) {
    const mail = canaryMail(canaries, sender.from, { subject: `${word} ${canaries.make("subject")}` });
    if ((await request("POST", "/api/v1/send", key, mail)).status === 500) refused += 1;
  }
  // The worker cannot store the outcome: the refused row contains the provider's message.
  await change(db, "alter table send_attempts add constraint no_detail check (detail is null) not valid");
  await request("POST", "/api/v1/send", key, canaryMail(canaries, "orders@fault-0.io"));
  await worker.logged("delivery.not-settled-yet");
  await change(db, "alter table send_attempts drop constraint no_detail");
  return refused + 1;
}

/** Processes that refuse to start must report the reason without their secrets. */
export async function runRefusedStarts(environment: Environment, canaries: Canaries) {
  const secretText = () => canaries.add("environment secret", randomBytes(32).toString("base64url"));
  const password = canaries.make("environment secret");
  const broken: Environment[] = [
    { ...environment, API_KEY_PEPPER: secretText(), CONTENT_KEY: `UPPER:${secretText()}`, TOKEN_SIGNING_KEY: "" },
    { ...environment, DATABASE_URL: `postgres://postern:${password}@127.0.0.1:1/postern` },
    { ...environment, DATABASE_URL: `mysql://postern:${password}@127.0.0.1/postern` },
    { ...environment, CONTENT_KEY: `other:${secretText()}` },
  ];
  const ends = await Promise.all(broken.map(runUntilExit));
  return {
    outputs: ends.map(({ output }) => output),
    refused: ends.filter(({ code }) => code !== null && code > 0).length,
  };
}

async function runUntilExit(env: Environment): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, [posternPath, "api"], { env, cwd: tmpdir(), timeout: 30_000 });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { output: `${stdout}${stderr}`, code };
}
