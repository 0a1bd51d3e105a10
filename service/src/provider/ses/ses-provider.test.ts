import {
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  GetSuppressedDestinationCommand,
  PutSuppressedDestinationCommand,
  SESv2Client,
} from "@aws-sdk/client-sesv2";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { anEndpoint } from "../../../test/an-endpoint.ts";
import {
  aConfigurationSet,
  aDomainName,
  aMail,
  describeEmailProviderContract,
} from "../../../test/email-provider-contract.ts";
import { useSesProvider } from "../../../test/use-ses-provider.ts";
import type { OutgoingMail } from "../email-provider.ts";
import { allowPublishing, createTopic, topicCalls } from "./setup/topic-calls.ts";

const { simulator, sesProvider, submitWithFault } = useSesProvider();

describeEmailProviderContract("SES", { provider: sesProvider, topicFor: aTopicFor });

describe("the mail that SES receives", () => {
  test("is the submitted mail, with its tags and in UTF-8", async () => {
    const provider = sesProvider();
    const configurationSetName = await aConfigurationSet(provider);
    const mail = aMail({
      configurationSetName,
      from: { name: "Müller, Jörg", address: "orders@shop.test" },
      to: ["a@example.test"],
      cc: ["c@xn--exmple-cua.test"],
      bcc: ["b@example.test"],
      replyTo: { name: undefined, address: "reply@shop.test" },
      subject: "Ihre Bestellung — 日本",
      html: "<p>Grüße</p>",
      text: "Grüße",
      tags: { sendId: "019a8f1e-0000-7000-8000-000000000000", attempt: 3 },
    });
    const answer = await provider.submit(mail);
    if (answer.kind !== "accepted") throw new Error(answer.message);
    expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await simulator.control("GET", `ledger/${answer.providerMessageId}`)).toMatchObject({
      from: "=?UTF-8?B?TcO8bGxlciwgSsO2cmc=?= <orders@shop.test>",
      destination: { to: ["a@example.test"], cc: ["c@xn--exmple-cua.test"], bcc: ["b@example.test"] },
      replyTo: ["reply@shop.test"],
      subject: "Ihre Bestellung — 日本",
      tags: { send_id: ["019a8f1e-0000-7000-8000-000000000000"], attempt: ["3"] },
      configurationSetName,
    });
  });

  test("has the headers of the caller, each as it was given", async () => {
    const provider = sesProvider();
    const headers = [
      { name: "X-Order-Id", value: "1001" },
      { name: "List-Unsubscribe", value: "<https://shop.test/u?a=1>, <mailto:u@shop.test>" },
    ];
    const mail = aMail({ configurationSetName: await aConfigurationSet(provider), headers });
    const answer = await provider.submit(mail);
    if (answer.kind !== "accepted") throw new Error(answer.message);
    expect(await simulator.control("GET", `ledger/${answer.providerMessageId}`)).toMatchObject({
      customHeaders: headers,
    });
  });

  test.for([
    { name: "X-Order\r\nBcc", value: "x" },
    { name: "X-Order:", value: "x" },
    { name: "X-Order", value: "1\r\nBcc: x@y.test" },
    { name: "X-Order", value: "1\0" },
  ])("never has a header that could become two: %j", async (header) => {
    await expect(sesProvider().submit(aMail({ headers: [header] }))).rejects.toThrow("header that could become two");
  });

  const broken: [string, Partial<OutgoingMail>][] = ["\r\nBcc: x@y.test", "\n", "\0", "\u0085", "\u2028"].flatMap(
    (text) => [
      ["from", { from: { name: undefined, address: `a@shop.test${text}` } }],
      ["the name in from", { from: { name: `Shop${text}`, address: "a@shop.test" } }],
      ["to", { to: ["b@example.test", `a@example.test${text}`] }],
      ["cc", { cc: [`a@example.test${text}`] }],
      ["bcc", { bcc: [`a@example.test${text}`] }],
      ["reply_to", { replyTo: { name: undefined, address: `a@shop.test${text}` } }],
      ["the name in reply_to", { replyTo: { name: `Shöp${text}`, address: "a@shop.test" } }],
      ["the subject", { subject: `Your order${text}` }],
    ],
  );

  test.for(broken)(
    "never has a control character in %s: submit throws before it sends a request",
    async ([, changes]) => {
      const server = await anEndpoint(() => ({ status: 200, body: '{"MessageId":"m-1"}' }));
      await expect(sesProvider({ endpoint: server.url }).submit(aMail(changes))).rejects.toThrow(/^the mail has /);
      expect(server.requests()).toBe(0);
    },
  );

  test.for(["a@b.test,c@d.test", "A <a@b.test>", "a@b.test c@d.test", "ü@b.test", '"a"@b.test', ""])(
    "never has an unparsed recipient: %j",
    async (address) => {
      await expect(sesProvider().submit(aMail({ to: [address] }))).rejects.toThrow("unparsed address");
    },
  );

  test("states the charset of every part and disables tracking", async () => {
    const server = await anEndpoint(() => ({ status: 200, body: '{"MessageId":"m-1"}' }));
    await sesProvider({ endpoint: server.url }).submit(aMail({ html: "<p>x</p>" }));
    expect(JSON.parse(server.lastBody())).toMatchObject({
      Content: {
        Simple: {
          Subject: { Data: "Your order", Charset: "UTF-8" },
          Body: { Text: { Charset: "UTF-8" }, Html: { Data: "<p>x</p>", Charset: "UTF-8" } },
        },
      },
      ConfigurationOverrides: { Tracking: { OpenTrackingEnabled: "DISABLED", ClickTrackingEnabled: "DISABLED" } },
    });
  });
});

describe("the connection", () => {
  test("serves 400 concurrent submissions", async () => {
    const waiting: (() => void)[] = [];
    let isFirst = true;
    const server = await anEndpoint(async () => {
      if (!isFirst) {
        await new Promise<void>((resolve) => {
          if (waiting.push(resolve) === 400) for (const answer of waiting) answer();
        });
      }
      isFirst = false;
      return { status: 200, body: '{"MessageId":"m-1"}' };
    });
    const provider = sesProvider({ endpoint: server.url, sendTimeouts: { requestMs: 5_000 } });
    // Until its first request ends, the SDK gives each request its own pool, which would hide a socket limit.
    await provider.submit(aMail());
    const answers = await Promise.all(Array.from({ length: 400 }, () => provider.submit(aMail())));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
  });

  test("stays open for the next submission and closes when idle, and an answer may take longer than the idle time", async () => {
    let delayMs = 0;
    const server = await anEndpoint(async () => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return { status: 200, body: '{"MessageId":"m-1"}' };
    });
    const provider = sesProvider({ endpoint: server.url, sendTimeouts: { idleMs: 200 } });
    const submit = async () => (await provider.submit(aMail())).kind;
    expect([await submit(), await submit(), server.connections()]).toEqual(["accepted", "accepted", 1]);
    await server.allClosed();
    delayMs = 500;
    expect([await submit(), server.connections()]).toEqual(["accepted", 2]);
  });

  test("uses the configured endpoint and one attempt, whatever the environment sets", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    vi.stubEnv("AWS_ENDPOINT_URL_SESV2", "http://127.0.0.1:1");
    vi.stubEnv("AWS_USE_FIPS_ENDPOINT", "true");
    vi.stubEnv("AWS_USE_DUALSTACK_ENDPOINT", "true");
    vi.stubEnv("AWS_MAX_ATTEMPTS", "5");
    vi.stubEnv("AWS_RETRY_MODE", "adaptive");
    expect((await submitWithFault({ kind: "accept-then-reset" })).requests).toBe(1);
  });
});

describe("control calls", () => {
  const error = (name: string) => ({ kind: "error", name });

  /** The error that `readQuota` throws under the fault, and the number of its requests. */
  async function readQuotaUnder(fault: object) {
    const rule = await simulator.control("POST", "rules", { operation: "GetAccount", fault });
    const provider = sesProvider({ controlTimeouts: { requestMs: 700 } });
    const thrown = await provider.readQuota().catch((problem) => problem);
    const { rules } = await simulator.control("GET", "rules");
    return { thrown, requests: rules.find(({ id }: { id: string }) => id === rule.id).applied };
  }

  const kinds = [
    [error("TooManyRequestsException"), "throttled"],
    [error("ThrottlingException"), "throttled"],
    [error("AccessDeniedException"), "denied"],
    [error("UnrecognizedClientException"), "denied"],
    [error("ExpiredTokenException"), "denied"],
    [error("AccountSuspendedException"), "denied"],
    [{ kind: "clock-skew" }, "denied"],
    [error("LimitExceededException"), "limit-reached"],
    [error("BadRequestException"), "invalid"],
    [error("NotFoundException"), "invalid"],
    [error("InvalidNextTokenException"), "invalid"],
    [error("ConcurrentModificationException"), "unavailable"],
    [error("InternalServiceErrorException"), "unavailable"],
    [{ kind: "http-error", status: 503 }, "unavailable"],
    [{ kind: "reset-before-accept" }, "unavailable"],
    [{ kind: "hang" }, "unavailable"],
    [{ kind: "slow-body", seconds: 30 }, "unavailable"],
    [{ kind: "garbage" }, "unavailable"],
    [{ kind: "empty-object" }, "unavailable"],
  ] as const;

  test.for(kinds)("the fault %j is one request and a ProviderError of kind %s", async ([fault, kind]) => {
    const { thrown, requests } = await readQuotaUnder(fault);
    expect(thrown).toMatchObject({ name: "ProviderError", kind, message: expect.stringMatching(/./) });
    expect(requests).toBe(1);
  });

  test("a server that does not listen is unavailable, not denied", async () => {
    const thrown = await sesProvider({ endpoint: "http://127.0.0.1:1" })
      .readQuota()
      .catch((problem) => problem);
    expect(thrown).toMatchObject({ name: "ProviderError", kind: "unavailable" });
  });

  test("the quota has the values that SES reports, and -1 is unlimited", async () => {
    onTestFinished(() =>
      simulator.control("PATCH", "account", { sendingEnabled: true, productionAccess: true, maxSendRate: 10_000 }),
    );
    await simulator.control("PATCH", "account", { max24HourSend: 50_000, maxSendRate: 14 });
    expect(await sesProvider().readQuota()).toMatchObject({ perDay: 50_000, perSecond: 14, isSendingEnabled: true });
    await simulator.control("PATCH", "account", { max24HourSend: -1, sendingEnabled: false, productionAccess: false });
    expect(await sesProvider().readQuota()).toMatchObject({
      perDay: undefined,
      isSendingEnabled: false,
      isProduction: false,
    });
  });

  const statuses = [
    ["SUCCESS", "success", true],
    ["FAILED", "failed", false],
    ["TEMPORARY_FAILURE", "temporary-failure", false],
    ["PENDING", "pending", false],
  ] as const;

  test.for(statuses)("an identity that is %s at SES is %s here", async ([status, dkimStatus, isVerified]) => {
    const [provider, domainName] = [sesProvider(), aDomainName()];
    await provider.createIdentity(domainName, await aConfigurationSet(provider));
    await simulator.control("POST", `identities/${domainName}/verification`, { status });
    expect(await provider.findIdentity(domainName)).toMatchObject({
      arn: `arn:aws:ses:${simulator.region}:000000000000:identity/${domainName}`,
      dkimStatus,
      dkimZone: "dkim.amazonses.com",
    });
    const { identities } = await provider.listIdentities();
    expect(identities).toContainEqual({ domainName, isVerified });
  });

  test("a list of more than 1,000 identities continues on the next page and omits email addresses", async () => {
    const identity = (name: string, type = "DOMAIN") => ({
      IdentityName: name,
      IdentityType: type,
      SendingEnabled: true,
      VerificationStatus: "SUCCESS",
    });
    const server = await anEndpoint((body) => {
      const { NextToken, PageSize } = JSON.parse(body);
      const page =
        NextToken === undefined
          ? {
              EmailIdentities: [identity("a.test"), identity("x@b.test", "EMAIL_ADDRESS")],
              NextToken: `after ${PageSize}`,
            }
          : { EmailIdentities: [identity("c.test")] };
      return { status: 200, body: JSON.stringify(page) };
    });
    const provider = sesProvider({ endpoint: server.url });
    const first = await provider.listIdentities();
    expect(first).toEqual({ identities: [{ domainName: "a.test", isVerified: true }], next: "after 1000" });
    const second = await provider.listIdentities(first.next);
    expect(second).toEqual({ identities: [{ domainName: "c.test", isVerified: true }], next: undefined });
  });

  test("an address is removed from the suppression list of SES", async () => {
    const ses = new SESv2Client({ region: simulator.region, endpoint: simulator.url });
    const EmailAddress = "gone+x@example.test";
    await ses.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason: "BOUNCE" }));
    await sesProvider().removeSuppressedAddress(EmailAddress);
    const found = ses.send(new GetSuppressedDestinationCommand({ EmailAddress }));
    await expect(found).rejects.toMatchObject({ name: "NotFoundException" });
  });

  test("a configuration set disables SES's suppression list and publishes all events except opens and clicks", async () => {
    const ses = new SESv2Client({ region: simulator.region, endpoint: simulator.url });
    const provider = sesProvider();
    const ConfigurationSetName = await aConfigurationSet(provider);
    await provider.createEventDestination(ConfigurationSetName, await aTopicFor(ConfigurationSetName));
    expect(await ses.send(new GetConfigurationSetCommand({ ConfigurationSetName }))).toMatchObject({
      SuppressionOptions: { SuppressedReasons: [] },
      ReputationOptions: { ReputationMetricsEnabled: true },
      SendingOptions: { SendingEnabled: true },
    });
    const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName });
    const [destination] = (await ses.send(command)).EventDestinations ?? [];
    expect(destination?.Enabled).toBe(true);
    expect(destination?.MatchingEventTypes?.toSorted()).toEqual([
      "BOUNCE",
      "COMPLAINT",
      "DELIVERY",
      "DELIVERY_DELAY",
      "REJECT",
      "RENDERING_FAILURE",
      "SEND",
    ]);
  });
});

async function aTopicFor(configurationSetName: string): Promise<string> {
  const topics = topicCalls(simulator.region, simulator.url);
  const arn = await createTopic(topics, `for-${configurationSetName}`);
  await allowPublishing(topics, arn, configurationSetName);
  return arn;
}
