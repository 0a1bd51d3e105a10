import {
  BadRequestException,
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  GetSuppressedDestinationCommand,
  InvalidNextTokenException,
  ListRecommendationsCommand,
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
const unlimited = {
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
  await running.control("PATCH", "account", unlimited);
});

/** Fact sheet, sections 2.2, 2.3 and 4 (suppression). */
describe("GetAccount", () => {
  test("GetAccount returns quota, state and suppression reasons", async () => {
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

  test("ListRecommendations returns the open findings that the filter selects, and none without Virtual Deliverability Manager", async () => {
    const list = (Filter = {}) => running.ses.send(new ListRecommendationsCommand({ Filter }));
    await expect(list()).rejects.toBeInstanceOf(NotFoundException);
    const recommendations = [
      { type: "BOUNCE", impact: "HIGH", resourceArn: "arn:a" },
      { type: "DMARC", impact: "LOW", resourceArn: "arn:b" },
    ];
    await running.control("PATCH", "account", { recommendations });
    expect((await list()).Recommendations).toHaveLength(2);
    expect((await list({ STATUS: "OPEN", TYPE: "BOUNCE" })).Recommendations).toEqual([
      { Type: "BOUNCE", Impact: "HIGH", ResourceArn: "arn:a", Status: "OPEN" },
    ]);
    expect((await list({ STATUS: "OPEN", IMPACT: "LOW" })).Recommendations).toHaveLength(1);
    expect((await list({ STATUS: "FIXED" })).Recommendations).toEqual([]);
    await expect(list({ COLOUR: "red" })).rejects.toBeInstanceOf(BadRequestException);
    const wrong = { recommendations: [{ type: "SMELL", impact: "HIGH", resourceArn: "arn:a" }] };
    expect((await running.control("PATCH", "account", wrong)).status).toBe(400);
    await running.control("PATCH", "account", { recommendations: null });
    await expect(list()).rejects.toBeInstanceOf(NotFoundException);
  });

  test("the quota counts recipients, not messages, and ignores mailbox simulator recipients", async () => {
    const before = await sent();
    await send(to("a@example.test", "b@example.test", "success@simulator.amazonses.com"));
    expect((await sent()) - before).toBe(2);
  });

  test("the count of the last 24 hours survives a restart", async () => {
    await send();
    const before = await sent();
    await running.restart();
    expect(before).toBeGreaterThan(0);
    expect(await sent()).toBe(before);
  });
});

describe("quotas", () => {
  test("a send above the daily quota is a TooManyRequestsException that names the quota", async () => {
    await running.control("PATCH", "account", { max24HourSend: (await sent()) + 2 });
    await send(to("a@example.test", "b@example.test"));
    await expect(send()).rejects.toMatchObject({
      name: "TooManyRequestsException",
      message: "Daily message quota exceeded.",
      $metadata: { httpStatusCode: 429 },
    });
    await send(to("success@simulator.amazonses.com"));
  });

  test("a send above MaxSendRate is a TooManyRequestsException that names the rate", async () => {
    await running.control("PATCH", "account", { maxSendRate: 3 });
    const sends = Array.from({ length: 5 }, () =>
      send().then(
        () => "sent",
        (error) => error.message,
      ),
    );
    const results = await Promise.all(sends);
    expect(results).toContain("Maximum sending rate exceeded.");
    expect(results.filter((result) => result === "sent").length).toBeLessThanOrEqual(4);
  });

  test("a send of a paused account is a SendingPausedException, of a suspended one an AccountSuspendedException", async () => {
    await running.ses.send(new PutAccountSendingAttributesCommand({ SendingEnabled: false }));
    await expect(send()).rejects.toMatchObject({ name: "SendingPausedException" });
    await running.control("PATCH", "account", { sendingEnabled: true, enforcementStatus: "SHUTDOWN" });
    await expect(send()).rejects.toMatchObject({ name: "AccountSuspendedException" });
  });

  test("an account in the sandbox sends only to verified and simulator recipients and cannot suppress addresses", async () => {
    await running.control("PATCH", "account", { productionAccess: false });
    const stranger = send(to("friend@shop.test", "stranger@example.test"));
    await expect(stranger).rejects.toThrow(/failed the check in region EU-WEST-1: stranger@example.test$/);
    await send(to("friend@shop.test", "success@simulator.amazonses.com"));
    await expect(suppress("a@example.test")).rejects.toBeInstanceOf(BadRequestException);
  });

  test("an option limits non-send requests to one per second", async () => {
    running.options.controlRequestsPerSecond = 1;
    await running.restart();
    const results = await Promise.allSettled([1, 2, 3].map(() => running.ses.send(new GetAccountCommand())));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(2);
    expect(refused[0]?.reason).toMatchObject({ name: "TooManyRequestsException", $metadata: { httpStatusCode: 429 } });
    expect((await send()).MessageId).toBeDefined();
    running.options.controlRequestsPerSecond = 0;
    await running.restart();
  });
});

describe("the account suppression list", () => {
  test("SES stores, returns, lists by reason and time, and deletes a suppressed address", async () => {
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
    const unknownToken = new ListSuppressedDestinationsCommand({ NextToken: "unknown" });
    await expect(running.ses.send(unknownToken)).rejects.toBeInstanceOf(InvalidNextTokenException);
    const remove = new DeleteSuppressedDestinationCommand({ EmailAddress: "bounced@example.test" });
    await running.ses.send(remove);
    await expect(running.ses.send(remove)).rejects.toBeInstanceOf(NotFoundException);
    const get = new GetSuppressedDestinationCommand({ EmailAddress: "bounced@example.test" });
    await expect(running.ses.send(get)).rejects.toBeInstanceOf(NotFoundException);
  });

  test("SES accepts and counts a mail to a suppressed address and bounces it as OnAccountSuppressionList", async () => {
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

  test("a configuration set or an account without the suppressed reason delivers to the address", async () => {
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

  test("SES suppresses the address of a hard bounce, except at the mailbox simulator", async () => {
    const path = await aFeedbackPath(running);
    await running.control("POST", "rules", {
      times: 1,
      match: { recipient: "bounced-once@example.test" },
      outcome: { kind: "bounce" },
    });
    await send({
      ...to("bounced-once@example.test", "bounce@simulator.amazonses.com"),
      ConfigurationSetName: path.setName,
    });
    await path.next(3);
    const get = (EmailAddress: string) => running.ses.send(new GetSuppressedDestinationCommand({ EmailAddress }));
    expect((await get("bounced-once@example.test")).SuppressedDestination?.Attributes?.MessageId).toBeDefined();
    await expect(get("bounce@simulator.amazonses.com")).rejects.toBeInstanceOf(NotFoundException);
  });
});
