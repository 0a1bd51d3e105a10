import { GetAccountCommand, SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { aMail, aQueue } from "../test/builders.ts";
import { credentials, useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });
const addRule = (rule: object) => running.control("POST", "rules", rule);
const accepted = async (): Promise<number> => (await running.control("GET", "health")).body.accepted;

/** One attempt with a deadline, like Postern's. Returns what the caller sees and how many mails SES accepted. */
async function attempt(fault: object, changes: object = {}) {
  await addRule({ times: 1, fault });
  const before = await accepted();
  const seen = await running.ses
    .send(new SendEmailCommand(aMail(changes)), { abortSignal: AbortSignal.timeout(700) })
    .catch((error) => error);
  return { seen, acceptedCount: (await accepted()) - before };
}

afterEach(async () => {
  await running.control("DELETE", "rules");
});

/** Fact sheet, sections 1.1, 2.5 and 8. */
describe("a fault of one request", () => {
  test("a reset before acceptance is an ECONNRESET, and SES does not accept the mail", async () => {
    const { seen, acceptedCount } = await attempt({ kind: "reset-before-accept" });
    expect(seen).toMatchObject({ code: "ECONNRESET" });
    expect(acceptedCount).toBe(0);
  });

  test("a reset after acceptance is an ECONNRESET too, but SES has accepted the mail", async () => {
    const { seen, acceptedCount } = await attempt({ kind: "accept-then-reset" });
    expect(seen).toMatchObject({ code: "ECONNRESET" });
    expect(acceptedCount).toBe(1);
  });

  test("a hang before acceptance ends at the caller's deadline, and SES does not accept the mail", async () => {
    const { seen, acceptedCount } = await attempt({ kind: "hang" });
    expect(seen).toMatchObject({ name: "AbortError" });
    expect(acceptedCount).toBe(0);
  });

  test("a hang after acceptance ends at the caller's deadline, but SES has accepted the mail", async () => {
    const { seen, acceptedCount } = await attempt({ kind: "accept-then-hang" });
    expect(seen).toMatchObject({ name: "AbortError" });
    expect(acceptedCount).toBe(1);
  });

  test("a slow body arrives completely, unless the caller's deadline ends first", async () => {
    const quick = await attempt({ kind: "slow-body", seconds: 0.3 });
    expect(quick.seen.MessageId).toMatch(/-000000$/);
    const slow = await attempt({ kind: "slow-body", seconds: 5 });
    expect(slow.seen).toBeInstanceOf(Error);
    expect(slow.acceptedCount).toBe(1);
  });

  const errors = [500, 502, 503, 504].flatMap((status) => [
    { status, errorType: true, accepted: false },
    { status, errorType: false, accepted: false },
    { status, errorType: false, accepted: true },
  ]);

  test.each(errors)(
    "the caller sees a $status (error type: $errorType), and the mail is accepted: $accepted",
    async (fault) => {
      const { seen, acceptedCount } = await attempt({ kind: "http-error", ...fault });
      expect(seen.$metadata.httpStatusCode).toBe(fault.status);
      expect(acceptedCount).toBe(fault.accepted ? 1 : 0);
      const response = seen.$response;
      expect(response.headers["x-amzn-errortype"] !== undefined).toBe(fault.errorType);
      if (!fault.errorType) expect(seen).toBeInstanceOf(SyntaxError);
    },
  );

  test("a 200 with incomplete JSON is a SyntaxError with status 200, and SES has accepted the mail", async () => {
    const { seen, acceptedCount } = await attempt({ kind: "garbage" });
    expect(seen).toBeInstanceOf(SyntaxError);
    expect(seen.$metadata.httpStatusCode).toBe(200);
    expect(acceptedCount).toBe(1);
  });

  test("a 200 with {} resolves without a MessageId, and SES has accepted the mail", async () => {
    const { seen, acceptedCount } = await attempt({ kind: "empty-object" });
    expect(seen.$metadata.httpStatusCode).toBe(200);
    expect(seen.MessageId).toBeUndefined();
    expect(acceptedCount).toBe(1);
  });

  test.each([
    ["throttling", "TooManyRequestsException", 429],
    ["limit-exceeded", "LimitExceededException", 400],
  ])("the daily quota in its %s form is a %s", async (form, name, status) => {
    const { seen, acceptedCount } = await attempt({ kind: "daily-quota", form });
    expect(seen).toMatchObject({
      name,
      message: "Daily message quota exceeded.",
      $metadata: { httpStatusCode: status },
    });
    expect(acceptedCount).toBe(0);
  });

  test("clock skew is a 403, and the SDK uses the server's time of the answer for its next call", async () => {
    await addRule({ operation: "GetAccount", times: 1, fault: { kind: "clock-skew" } });
    const { ses } = running;
    const error = await ses.send(new GetAccountCommand()).catch((e) => e);
    expect(error).toMatchObject({ name: "InvalidSignatureException", $metadata: { httpStatusCode: 403 } });
    expect(ses.config.systemClockOffset).toBeGreaterThan(15 * 60 * 1000);
    expect((await ses.send(new GetAccountCommand())).SendingEnabled).toBe(true);
  });

  test("a fault of SQS arrives in the protocol of SQS", async () => {
    const { url: QueueUrl } = await aQueue(running);
    await addRule({
      operation: "ReceiveMessage",
      times: 1,
      fault: { kind: "http-error", status: 503, errorType: true },
    });
    const receive = () => running.sqs.send(new ReceiveMessageCommand({ QueueUrl })).catch((error) => error);
    expect(await receive()).toMatchObject({ name: "ServiceUnavailableException", $metadata: { httpStatusCode: 503 } });
    await addRule({ operation: "ReceiveMessage", times: 1, fault: { kind: "reset-before-accept" } });
    expect(await receive()).toMatchObject({ code: "ECONNRESET" });
  });
});

test("an SDK client with default retries succeeds after a fault that applies once", async () => {
  await addRule({ times: 1, fault: { kind: "http-error", status: 503, errorType: true } });
  const ses = new SESv2Client({ endpoint: running.url, region: "eu-west-1", credentials });
  expect((await ses.send(new SendEmailCommand(aMail()))).$metadata.attempts).toBe(2);
});
