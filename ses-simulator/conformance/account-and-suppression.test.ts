import {
  BadRequestException,
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  GetSuppressedDestinationCommand,
  InvalidNextTokenException,
  ListSuppressedDestinationsCommand,
  NotFoundException,
  PutAccountSendingAttributesCommand,
  PutAccountSuppressionAttributesCommand,
  PutConfigurationSetSuppressionOptionsCommand,
  PutSuppressedDestinationCommand,
  SendEmailCommand,
} from "@aws-sdk/client-sesv2";
import { afterEach, describe, expect, test } from "vitest";
import { aFeedbackPath, aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();
const generous = {
  sendingEnabled: true,
  enforcementStatus: "HEALTHY",
  productionAccess: true,
  max24HourSend: -1,
  maxSendRate: 10_000,
};
const send = (changes = {}) => running.ses.send(new SendEmailCommand(aMail(changes)));
const to = (...ToAddresses: string[]) => ({ Destination: { ToAddresses } });
const sent = async () => (await running.ses.send(new GetAccountCommand())).SendQuota?.SentLast24Hours ?? 0;
const suppress = (EmailAddress: string, Reason: "BOUNCE" | "COMPLAINT" = "BOUNCE") =>
  running.ses.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason }));

afterEach(async () => {
  await running.control("PATCH", "account", generous);
});

/** Fact sheet, sections 2.2, 2.3 and the suppression part of 4. */
describe("GetAccount", () => {
  test("shows quota, state and suppression reasons", async () => {
    await running.control("PATCH", "account", { max24HourSend: 200, maxSendRate: 1 });
    const account = await running.ses.send(new GetAccountCommand());
    expect(account).toMatchObject({
      SendingEnabled: true,
      ProductionAccessEnabled: true,
      EnforcementStatus: "HEALTHY",
      DedicatedIpAutoWarmupEnabled: false,
      SendQuota: { Max24HourSend: 200, MaxSendRate: 1 },
      SuppressionAttributes: { SuppressedReasons: ["BOUNCE", "COMPLAINT"] },
    });
  });

  test("counts recipients, not messages, and mailbox simulator recipients not at all", async () => {
    const before = await sent();
    await send(to("a@example.test", "b@example.test", "success@simulator.amazonses.com"));
    expect((await sent()) - before).toBe(2);
  });

  test("counts the last 24 hours over a restart", async () => {
    await send();
    const before = await sent();
    await running.restart();
    expect(before).toBeGreaterThan(0);
    expect(await sent()).toBe(before);
  });
});

describe("quotas", () => {
  test("above the daily quota a send is a TooManyRequestsException that says so", async () => {
    await running.control("PATCH", "account", { max24HourSend: (await sent()) + 2 });
    await send(to("a@example.test", "b@example.test"));
    await expect(send()).rejects.toMatchObject({
      name: "TooManyRequestsException",
      message: "Daily message quota exceeded.",
      $metadata: { httpStatusCode: 429 },
    });
    await send(to("success@simulator.amazonses.com"));
  });

  test("above MaxSendRate recipients a second a send is a TooManyRequestsException that says so", async () => {
    await running.control("PATCH", "account", { maxSendRate: 3 });
    const five = Array.from({ length: 5 }, () =>
      send().then(
        () => "sent",
        (error) => error.message,
      ),
    );
    const results = await Promise.all(five);
    expect(results).toContain("Maximum sending rate exceeded.");
    expect(results.filter((result) => result === "sent").length).toBeLessThanOrEqual(4);
  });

  test("a paused account answers SendingPausedException, a suspended one AccountSuspendedException", async () => {
    await running.ses.send(new PutAccountSendingAttributesCommand({ SendingEnabled: false }));
    await expect(send()).rejects.toMatchObject({ name: "SendingPausedException" });
    await running.control("PATCH", "account", { sendingEnabled: true, enforcementStatus: "SHUTDOWN" });
    await expect(send()).rejects.toMatchObject({ name: "AccountSuspendedException" });
  });

  test("in the sandbox only verified recipients and the mailbox simulator can be mailed, and the list is closed", async () => {
    await running.control("PATCH", "account", { productionAccess: false });
    const stranger = send(to("friend@shop.test", "stranger@example.test"));
    await expect(stranger).rejects.toThrow(/failed the check in region EU-WEST-1: stranger@example.test$/);
    await send(to("friend@shop.test", "success@simulator.amazonses.com"));
    await expect(suppress("a@example.test")).rejects.toBeInstanceOf(BadRequestException);
  });

  test("one non-send request a second can be switched on", async () => {
    running.options.controlRequestsPerSecond = 1;
    await running.restart();
    const three = await Promise.allSettled([1, 2, 3].map(() => running.ses.send(new GetAccountCommand())));
    const refused = three.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(2);
    expect(refused[0]?.reason).toMatchObject({ name: "TooManyRequestsException", $metadata: { httpStatusCode: 429 } });
    expect((await send()).MessageId).toBeDefined();
    running.options.controlRequestsPerSecond = 0;
    await running.restart();
  });
});

describe("the account suppression list", () => {
  test("is put, got, listed by reason and time, and deleted", async () => {
    await suppress("bounced@example.test");
    await suppress("complained@example.test", "COMPLAINT");
    const got = await running.ses.send(new GetSuppressedDestinationCommand({ EmailAddress: "Bounced@example.test" }));
    expect(got.SuppressedDestination).toMatchObject({ EmailAddress: "bounced@example.test", Reason: "BOUNCE" });
    expect(got.SuppressedDestination?.LastUpdateTime).toBeInstanceOf(Date);
    const list = async (filter: object) =>
      (await running.ses.send(new ListSuppressedDestinationsCommand(filter))).SuppressedDestinationSummaries?.map(
        (row) => row.EmailAddress,
      );
    expect(await list({ Reasons: ["COMPLAINT"] })).toEqual(["complained@example.test"]);
    expect(await list({ StartDate: new Date(Date.now() - 60_000) })).toContain("bounced@example.test");
    expect(await list({ EndDate: new Date("2023-11-14T22:13:20Z") })).toEqual([]);
    const page = await running.ses.send(new ListSuppressedDestinationsCommand({ PageSize: 1 }));
    expect(page.SuppressedDestinationSummaries).toHaveLength(1);
    expect(page.NextToken).toBeDefined();
    const foreign = new ListSuppressedDestinationsCommand({ NextToken: "foreign" });
    await expect(running.ses.send(foreign)).rejects.toBeInstanceOf(InvalidNextTokenException);
    const remove = new DeleteSuppressedDestinationCommand({ EmailAddress: "bounced@example.test" });
    await running.ses.send(remove);
    await expect(running.ses.send(remove)).rejects.toBeInstanceOf(NotFoundException);
    const get = new GetSuppressedDestinationCommand({ EmailAddress: "bounced@example.test" });
    await expect(running.ses.send(get)).rejects.toBeInstanceOf(NotFoundException);
  });

  test("lets a mail be accepted and counted, and bounces it as OnAccountSuppressionList", async () => {
    const path = await aFeedbackPath(running);
    await suppress("listed@example.test");
    const before = await sent();
    await send({ ...to("listed@example.test"), ConfigurationSetName: path.setName });
    expect((await sent()) - before).toBe(1);
    const events = await path.next(2);
    expect(events.find((event) => event.eventType === "Bounce")?.bounce).toMatchObject({
      bounceType: "Permanent",
      bounceSubType: "OnAccountSuppressionList",
      bouncedRecipients: [{ emailAddress: "listed@example.test" }],
    });
  });

  test("is switched off for a configuration set with no suppressed reasons, and for the account likewise", async () => {
    const path = await aFeedbackPath(running);
    await suppress("off@example.test");
    const off = { ConfigurationSetName: path.setName, SuppressedReasons: [] };
    await running.ses.send(new PutConfigurationSetSuppressionOptionsCommand(off));
    await send({ ...to("off@example.test"), ConfigurationSetName: path.setName });
    expect(new Set((await path.next(2)).map((event) => event.eventType))).toEqual(new Set(["Send", "Delivery"]));
    const other = await aFeedbackPath(running);
    await running.ses.send(new PutAccountSuppressionAttributesCommand({ SuppressedReasons: ["COMPLAINT"] }));
    await send({ ...to("off@example.test"), ConfigurationSetName: other.setName });
    expect(new Set((await other.next(2)).map((event) => event.eventType))).toEqual(new Set(["Send", "Delivery"]));
    await running.ses.send(new PutAccountSuppressionAttributesCommand({ SuppressedReasons: ["BOUNCE", "COMPLAINT"] }));
  });

  test("learns hard bounces, but not those of the mailbox simulator", async () => {
    const path = await aFeedbackPath(running);
    await running.control("POST", "rules", {
      times: 1,
      match: { recipient: "learned@example.test" },
      outcome: { kind: "bounce" },
    });
    await send({ ...to("learned@example.test", "bounce@simulator.amazonses.com"), ConfigurationSetName: path.setName });
    await path.next(3);
    const get = (EmailAddress: string) => running.ses.send(new GetSuppressedDestinationCommand({ EmailAddress }));
    expect((await get("learned@example.test")).SuppressedDestination?.Attributes?.MessageId).toBeDefined();
    await expect(get("bounce@simulator.amazonses.com")).rejects.toBeInstanceOf(NotFoundException);
  });
});
