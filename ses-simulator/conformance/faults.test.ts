import { GetAccountCommand, SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, test } from "vitest";
import { aFeedbackPath, aMail, aQueue } from "../test/builders.ts";
import { credentials, useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });
const addRule = (rule: object) => running.control("POST", "rules", rule);
const accepted = async (): Promise<number> => (await running.control("GET", "health")).body.accepted;
const refuseWith = async (fault: object, times = 1) => addRule({ times, fault });

/** One attempt with a deadline, as Postern makes it: what the caller sees, and whether SES took the mail. */
async function attempt(fault: object, changes: object = {}) {
  await refuseWith(fault);
  const before = await accepted();
  const seen = await running.ses
    .send(new SendEmailCommand(aMail(changes)), { abortSignal: AbortSignal.timeout(700) })
    .catch((error) => error);
  return { seen, accepted: (await accepted()) - before };
}

const outcomesOf = async (count: number) => {
  const results: boolean[] = [];
  for (let number = 0; number < count; number++) {
    const error = await running.ses.send(new SendEmailCommand(aMail())).then(
      () => undefined,
      (e) => e,
    );
    results.push(error === undefined);
  }
  return results;
};

const badDay = async (seed: number) => {
  await running.control("DELETE", "rules");
  await addRule({ probability: 0.5, seed, fault: { kind: "error", name: "TooManyRequestsException" } });
  return outcomesOf(24);
};

const isTaken = (changes: object) =>
  running.ses.send(new SendEmailCommand(aMail(changes))).then(
    () => true,
    () => false,
  );

const letBounce = (recipient: string, bounceSubType: string) =>
  addRule({ match: { recipient }, outcome: { kind: "bounce", bounceType: "Transient", bounceSubType } });

async function eventsUnder(events: object, count: number, changes: object = {}) {
  const path = await aFeedbackPath(running);
  await addRule({ times: 1, events });
  await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, ...changes })));
  const told = await path.next(count);
  return { path, told, types: told.map((event) => event.eventType) };
}

const drawnCopies = async () => {
  await running.control("DELETE", "rules");
  await addRule({ seed: 3, events: { copies: "random" } });
  const ids = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async () => (await running.ses.send(new SendEmailCommand(aMail()))).MessageId),
  );
  const records = await Promise.all(ids.map((id) => running.control("GET", `ledger/${id}`)));
  return records
    .flatMap(({ body }) => body.events.map(({ copies }: { copies: number }) => copies))
    .toSorted((a, b) => a - b);
};

afterEach(async () => {
  await running.control("DELETE", "rules");
});

/** Fact sheet, sections 1.1, 2.5 and 8: what can happen to one request. */
describe("one request", () => {
  test("reset before acceptance: ECONNRESET, and no mail", async () => {
    const { seen, ...took } = await attempt({ kind: "reset-before-accept" });
    expect(seen).toMatchObject({ code: "ECONNRESET" });
    expect(took.accepted).toBe(0);
  });

  test("reset after acceptance looks the same to the caller, but the mail is out", async () => {
    const { seen, ...took } = await attempt({ kind: "accept-then-reset" });
    expect(seen).toMatchObject({ code: "ECONNRESET" });
    expect(took.accepted).toBe(1);
  });

  test("hanging without acceptance ends by the caller's deadline, and no mail", async () => {
    const { seen, ...took } = await attempt({ kind: "hang" });
    expect(seen).toMatchObject({ name: "AbortError" });
    expect(took.accepted).toBe(0);
  });

  test("hanging after acceptance ends by the caller's deadline, but the mail is out", async () => {
    const { seen, ...took } = await attempt({ kind: "accept-then-hang" });
    expect(seen).toMatchObject({ name: "AbortError" });
    expect(took.accepted).toBe(1);
  });

  test("a slow body arrives whole in the end, or not within the caller's deadline", async () => {
    const quick = await attempt({ kind: "slow-body", seconds: 0.3 });
    expect(quick.seen.MessageId).toMatch(/-000000$/);
    const slow = await attempt({ kind: "slow-body", seconds: 5 });
    expect(slow.seen).toBeInstanceOf(Error);
    expect(slow.accepted).toBe(1);
  });

  const errors = [500, 502, 503, 504].flatMap((status) => [
    { status, errorType: true, accepted: false },
    { status, errorType: false, accepted: false },
    { status, errorType: false, accepted: true },
  ]);

  test.each(errors)("$status with error type $errorType, mail accepted $accepted", async (fault) => {
    const { seen, ...took } = await attempt({ kind: "http-error", ...fault });
    expect(seen.$metadata.httpStatusCode).toBe(fault.status);
    expect(took.accepted).toBe(fault.accepted ? 1 : 0);
    const response = seen.$response;
    expect(response.headers["x-amzn-errortype"] !== undefined).toBe(fault.errorType);
    if (!fault.errorType) expect(seen).toBeInstanceOf(SyntaxError);
  });

  test("200 with garbage is a SyntaxError with status 200, and the mail is out", async () => {
    const { seen, ...took } = await attempt({ kind: "garbage" });
    expect(seen).toBeInstanceOf(SyntaxError);
    expect(seen.$metadata.httpStatusCode).toBe(200);
    expect(took.accepted).toBe(1);
  });

  test("200 with {} resolves without a MessageId, and the mail is out", async () => {
    const { seen, ...took } = await attempt({ kind: "empty-object" });
    expect(seen.$metadata.httpStatusCode).toBe(200);
    expect(seen.MessageId).toBeUndefined();
    expect(took.accepted).toBe(1);
  });

  test.each([
    ["throttling", "TooManyRequestsException", 429],
    ["limit-exceeded", "LimitExceededException", 400],
  ])("the daily quota in its %s form is a %s", async (form, name, status) => {
    const { seen, ...took } = await attempt({ kind: "daily-quota", form });
    expect(seen).toMatchObject({
      name,
      message: "Daily message quota exceeded.",
      $metadata: { httpStatusCode: status },
    });
    expect(took.accepted).toBe(0);
  });

  test("clock skew is a 403 from which the SDK learns the server's time for its next call", async () => {
    await addRule({ operation: "GetAccount", times: 1, fault: { kind: "clock-skew" } });
    const { ses } = running;
    const error = await ses.send(new GetAccountCommand()).catch((e) => e);
    expect(error).toMatchObject({ name: "InvalidSignatureException", $metadata: { httpStatusCode: 403 } });
    expect(ses.config.systemClockOffset).toBeGreaterThan(15 * 60 * 1000);
    expect((await ses.send(new GetAccountCommand())).SendingEnabled).toBe(true);
  });

  test("faults of SQS and SNS are told in their own protocols", async () => {
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

describe("rules", () => {
  test("skip some requests, apply so many times, and then no more", async () => {
    await addRule({ skip: 1, times: 2, fault: { kind: "error", name: "SendingPausedException" } });
    expect(await outcomesOf(5)).toEqual([true, false, false, true, true]);
  });

  test("with a probability and a seed make the same bad day twice, and another seed another one", async () => {
    const first = await badDay(7);
    expect(first).toContain(true);
    expect(first).toContain(false);
    expect(await badDay(7)).toEqual(first);
    expect(await badDay(8)).not.toEqual(first);
  });

  test("match a recipient, a sender's domain or a tag", async () => {
    const fault = { kind: "error", name: "MessageRejected" };
    await addRule({ match: { recipient: "Bad@example.test" }, fault });
    await addRule({ match: { fromDomain: "eu.shop.test" }, fault });
    await addRule({ match: { tag: { name: "attempt", value: "1" } }, fault });
    expect(await isTaken({ Destination: { CcAddresses: ["bad@example.test"] } })).toBe(false);
    expect(await isTaken({ FromEmailAddress: "A <a@eu.shop.test>" })).toBe(false);
    expect(await isTaken({ EmailTags: [{ Name: "attempt", Value: "1" }] })).toBe(false);
    expect(await isTaken({ EmailTags: [{ Name: "attempt", Value: "2" }] })).toBe(true);
    expect(await isTaken({})).toBe(true);
  });

  test("are listed with how often they applied, and removed one by one or all", async () => {
    const { body: rule } = await addRule({ times: 3, fault: { kind: "error", name: "MessageRejected" } });
    await outcomesOf(2);
    expect((await running.control("GET", "rules")).body.rules).toMatchObject([{ id: rule.id, times: 3, applied: 2 }]);
    expect((await running.control("DELETE", `rules/${rule.id}`)).status).toBe(200);
    expect((await running.control("DELETE", `rules/${rule.id}`)).status).toBe(404);
    expect(await outcomesOf(1)).toEqual([true]);
  });

  test.each([
    ["no effect", { times: 1 }],
    ["an unknown member", { tims: 1, fault: { kind: "hang" } }],
    ["an unknown fault", { fault: { kind: "explode" } }],
    ["a member of another fault", { fault: { kind: "hang", status: 500 } }],
    ["an unknown error name", { fault: { kind: "error", name: "NoSuchException" } }],
    ["a status SES does not answer", { fault: { kind: "http-error", status: 418 } }],
    ["a probability above 1", { probability: 2, fault: { kind: "hang" } }],
    ["nine copies", { events: { copies: 9 } }],
    ["an unknown event type", { events: { lost: ["Opened"] } }],
    ["an unknown outcome", { outcome: { kind: "vanish" } }],
  ])("with %s are refused, because a typing error would make a test that proves nothing", async (_, rule) => {
    expect((await addRule(rule)).status).toBe(400);
  });
});

describe("outcomes", () => {
  test("with a recipient are that recipient's alone; the others of the mail get it", async () => {
    const path = await aFeedbackPath(running);
    await letBounce("Full@one.test", "MailboxFull");
    await letBounce("large@one.test", "MessageTooLarge");
    const Destination = { ToAddresses: ["full@one.test", "large@one.test", "fine@one.test"] };
    await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, Destination })));
    const told = (await path.next(4)).map(({ eventType, bounce, delivery }) =>
      [eventType, bounce?.bounceSubType, bounce?.bouncedRecipients[0].emailAddress ?? delivery?.recipients[0]].join(
        " ",
      ),
    );
    expect(new Set(told)).toEqual(
      new Set([
        "Send  ",
        "Bounce MailboxFull full@one.test",
        "Bounce MessageTooLarge large@one.test",
        "Delivery  fine@one.test",
      ]),
    );
  });
});

describe("events on a bad day", () => {
  test("the Send event is there before the caller has its answer", async () => {
    const path = await aFeedbackPath(running);
    await addRule({ times: 1, events: { sendBeforeAnswer: true } });
    const order: string[] = [];
    const answer = running.ses
      .send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName })))
      .then(() => order.push("answer"));
    const event = path.next(1).then(([{ eventType }]) => order.push(eventType));
    await Promise.all([answer, event]);
    expect(order).toEqual(["Send", "answer"]);
  });

  test("Delivery comes before Send", async () => {
    expect((await eventsUnder({ deliveryBeforeSend: true }, 2)).types).toEqual(["Delivery", "Send"]);
  });

  test("every event comes eight times", async () => {
    const { types } = await eventsUnder({ copies: 8 }, 16);
    expect(types.filter((type) => type === "Send")).toHaveLength(8);
    expect(types.filter((type) => type === "Delivery")).toHaveLength(8);
  });

  test("the number of copies is drawn from 0 to 8, the same for the same seed", async () => {
    const first = await drawnCopies();
    expect(new Set(first).size).toBeGreaterThan(2);
    expect(first.every((copies) => copies >= 0 && copies <= 8)).toBe(true);
    expect(await drawnCopies()).toEqual(first);
  });

  test("no copies, or a lost type, is an event that never comes", async () => {
    expect((await eventsUnder({ lost: ["Send"] }, 1)).types).toEqual(["Delivery"]);
    const { path } = await eventsUnder({ copies: 0 }, 0);
    await running.ses.send(
      new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, EmailTags: [{ Name: "n", Value: "2" }] })),
    );
    const next = await path.next(2);
    expect(next.every((event) => event.mail.tags.n?.[0] === "2")).toBe(true);
  });

  test("events come late", async () => {
    const started = performance.now();
    await eventsUnder({ delaySeconds: 0.6 }, 2);
    expect(performance.now() - started).toBeGreaterThan(600);
  });

  const Destination = { ToAddresses: ["a@one.test", "b@one.test", "c@two.test"] };
  const merging = [
    ["together", [["a@one.test", "b@one.test", "c@two.test"]]],
    ["by-domain", [["a@one.test", "b@one.test"], ["c@two.test"]]],
    ["one-by-one", [["a@one.test"], ["b@one.test"], ["c@two.test"]]],
  ] as const;

  test.each(merging)("recipients are told %s", async (recipients, groups) => {
    const { told } = await eventsUnder({ recipients }, groups.length + 1, { Destination });
    const deliveries = told.filter((event) => event.eventType === "Delivery").map((event) => event.delivery.recipients);
    expect(new Set(deliveries.map(String))).toEqual(new Set(groups.map(String)));
  });
});

test("an SDK client with its own retries meets a fault once and succeeds", async () => {
  await refuseWith({ kind: "http-error", status: 503, errorType: true });
  const ses = new SESv2Client({ endpoint: running.url, region: "eu-west-1", credentials });
  expect((await ses.send(new SendEmailCommand(aMail()))).$metadata.attempts).toBe(2);
});
