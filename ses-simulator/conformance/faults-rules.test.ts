import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { afterEach, describe, expect, test } from "vitest";
import { aFeedbackPath, aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator({ maxSendRate: 10_000 });
const addRule = (rule: object) => running.control("POST", "rules", rule);

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

const outcomesWithSeed = async (seed: number) => {
  await running.control("DELETE", "rules");
  await addRule({ probability: 0.5, seed, fault: { kind: "error", name: "TooManyRequestsException" } });
  return outcomesOf(24);
};

const isAccepted = (changes: object) =>
  running.ses.send(new SendEmailCommand(aMail(changes))).then(
    () => true,
    () => false,
  );

const letBounce = (recipient: string, bounceSubType: string) =>
  addRule({ match: { recipient }, outcome: { kind: "bounce", bounceType: "Transient", bounceSubType } });

afterEach(async () => {
  await running.control("DELETE", "rules");
});

describe("rules", () => {
  test("a rule skips the given number of requests and then applies the given number of times", async () => {
    await addRule({ skip: 1, times: 2, fault: { kind: "error", name: "SendingPausedException" } });
    expect(await outcomesOf(5)).toEqual([true, false, false, true, true]);
  });

  test("a probability with the same seed selects the same requests, and another seed selects others", async () => {
    const first = await outcomesWithSeed(7);
    expect(first).toContain(true);
    expect(first).toContain(false);
    expect(await outcomesWithSeed(7)).toEqual(first);
    expect(await outcomesWithSeed(8)).not.toEqual(first);
  });

  test("a rule matches a recipient, the sender's domain or a tag", async () => {
    const fault = { kind: "error", name: "MessageRejected" };
    await addRule({ match: { recipient: "Bad@example.test" }, fault });
    await addRule({ match: { fromDomain: "eu.shop.test" }, fault });
    await addRule({ match: { tag: { name: "attempt", value: "1" } }, fault });
    expect(await isAccepted({ Destination: { CcAddresses: ["bad@example.test"] } })).toBe(false);
    expect(await isAccepted({ FromEmailAddress: "A <a@eu.shop.test>" })).toBe(false);
    expect(await isAccepted({ EmailTags: [{ Name: "attempt", Value: "1" }] })).toBe(false);
    expect(await isAccepted({ EmailTags: [{ Name: "attempt", Value: "2" }] })).toBe(true);
    expect(await isAccepted({})).toBe(true);
  });

  test("the control API lists rules with their count of applications and removes a single rule", async () => {
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
    ["a status that SES does not use", { fault: { kind: "http-error", status: 418 } }],
    ["a probability above 1", { probability: 2, fault: { kind: "hang" } }],
    ["nine copies", { events: { copies: 9 } }],
    ["an unknown event type", { events: { lost: ["Opened"] } }],
    ["an unknown outcome", { outcome: { kind: "vanish" } }],
  ])("the control API refuses a rule with %s", async (_, rule) => {
    expect((await addRule(rule)).status).toBe(400);
  });
});

describe("outcomes", () => {
  test("an outcome with a recipient applies to that recipient only, and SES delivers to the others", async () => {
    const path = await aFeedbackPath(running);
    await letBounce("Full@one.test", "MailboxFull");
    await letBounce("large@one.test", "MessageTooLarge");
    const Destination = { ToAddresses: ["full@one.test", "large@one.test", "fine@one.test"] };
    await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName: path.setName, Destination })));
    const summaries = (await path.next(4)).map(({ eventType, bounce, delivery }) =>
      [eventType, bounce?.bounceSubType, bounce?.bouncedRecipients[0].emailAddress ?? delivery?.recipients[0]].join(
        " ",
      ),
    );
    expect(new Set(summaries)).toEqual(
      new Set([
        "Send  ",
        "Bounce MailboxFull full@one.test",
        "Bounce MessageTooLarge large@one.test",
        "Delivery  fine@one.test",
      ]),
    );
  });
});
