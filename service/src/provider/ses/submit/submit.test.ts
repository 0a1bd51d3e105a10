import { describe, expect, onTestFinished, test, vi } from "vitest";
import { anEndpoint, anEndpointThatTakesNoConnection } from "../../../../test/an-endpoint.ts";
import { aConfigurationSet, aMail } from "../../../../test/email-provider-contract.ts";
import { useSesProvider } from "../../../../test/use-ses-provider.ts";
import type { OutgoingMail } from "../../email-provider.ts";

const { simulator, sesProvider, submitWithFault } = useSesProvider();

const error = (name: string, message?: string) => ({ kind: "error", name, ...(message !== undefined && { message }) });
const isRefused = { kind: "refused", code: "PROVIDER_REJECTED", unverified: [] };
const isTooLarge = { kind: "refused", code: "MESSAGE_TOO_LARGE", unverified: [] };
const isLater = { kind: "try-later", hold: undefined, isThrottled: false };
const isThrottled = { ...isLater, isThrottled: true };
const held = (hold: string) => ({ ...isLater, hold });
const isDenied = (code = "AccessDeniedException") => ({ kind: "denied", code });
const deniedOn =
  "User: arn:aws:iam::1:user/p is not authorized to perform: ses:SendEmail on resource: arn:aws:ses:eu-west-1:1:identity/shop.test";
const isUnknown = { kind: "unknown" };
const size = "Message length is more than 10485760 bytes long: '10485761'.";
const quota = "Daily message quota exceeded.";

describe("a submission is one request, and its result states only what is certain", () => {
  const faults = [
    ["a reset before acceptance", { kind: "reset-before-accept" }, isUnknown, 0],
    ["a reset after acceptance", { kind: "accept-then-reset" }, isUnknown, 1],
    ["no answer without acceptance", { kind: "hang" }, isUnknown, 0],
    ["no answer after acceptance", { kind: "accept-then-hang" }, isUnknown, 1],
    ["an answer whose body ends after the deadline", { kind: "slow-body", seconds: 30 }, isUnknown, 1],
    ["an answer whose body ends before the deadline", { kind: "slow-body", seconds: 0.1 }, { kind: "accepted" }, 1],
    ...[500, 502, 503, 504].flatMap((status) => [
      [`${status} with an SES error name`, { kind: "http-error", status, errorType: true }, isUnknown, 0] as const,
      [`${status} from a proxy`, { kind: "http-error", status }, isUnknown, 0] as const,
      [`${status} after acceptance`, { kind: "http-error", status, accepted: true }, isUnknown, 1] as const,
    ]),
    ["200 with garbage", { kind: "garbage" }, isUnknown, 1],
    ["200 with garbage, not accepted", { kind: "garbage", accepted: false }, isUnknown, 0],
    ["200 without a MessageId", { kind: "empty-object" }, isUnknown, 1],
    ["200 without a MessageId, not accepted", { kind: "empty-object", accepted: false }, isUnknown, 0],
    ["the daily quota as a throttle", { kind: "daily-quota", form: "throttling" }, held("quota"), 0],
    ["the daily quota as a limit", { kind: "daily-quota", form: "limit-exceeded" }, held("quota"), 0],
    ["a policy that denies the sender's identity", { kind: "access-denied" }, isDenied(), 0],
    ["a wrong local clock", { kind: "clock-skew" }, held("operator"), 0],
  ] as const;

  const names = [
    ["BadRequestException", undefined, isRefused],
    ["BadRequestException", size, isTooLarge],
    ["BadRequestException", `Address must be 7-bit ASCII: <${quota}>`, isRefused],
    ["MessageRejected", undefined, isRefused],
    ["MessageRejected", size, isTooLarge],
    ["MessageRejected", quota, isRefused],
    ["SendingPausedException", undefined, held("paused")],
    ["AccountSuspendedException", undefined, held("suspended")],
    ["LimitExceededException", undefined, held("quota")],
    ["LimitExceededException", "Maximum sending rate exceeded.", isThrottled],
    ["TooManyRequestsException", undefined, isThrottled],
    ["TooManyRequestsException", "Maximum sending rate exceeded.", isThrottled],
    ["ThrottlingException", "Rate exceeded", isThrottled],
    ["ThrottlingException", quota, held("quota")],
    ["MailFromDomainNotVerifiedException", undefined, isLater],
    ["NotFoundException", "Configuration set <postern-AA> does not exist.", isDenied("NotFoundException")],
    ["UnknownOperationException", undefined, held("operator")],
    ["AccessDeniedException", undefined, held("operator")],
    [
      "AccessDeniedException",
      "User: arn:aws:iam::1:user/p is not authorized to perform: ses:SendEmail",
      held("operator"),
    ],
    ["AccessDeniedException", `${deniedOn} with an explicit deny in a service control policy`, isDenied()],
    ["AccessDeniedException", deniedOn.replace("identity/shop.test", "configuration-set/postern-AA"), isDenied()],
    ["ExpiredTokenException", deniedOn.replace("identity/shop.test", "*"), held("operator")],
    ["UnrecognizedClientException", undefined, held("operator")],
    ["ExpiredTokenException", undefined, held("operator")],
    ["InvalidSignatureException", undefined, held("operator")],
    ["RequestExpired", undefined, held("operator")],
    ["MissingAuthenticationTokenException", undefined, held("operator")],
    ["ConflictException", undefined, isLater],
    ["AlreadyExistsException", undefined, isLater],
    ["InvalidNextTokenException", undefined, isLater],
    ["ConcurrentModificationException", undefined, isUnknown],
    ["InternalServiceErrorException", undefined, isUnknown],
  ] as const;

  test.for(faults)("%s", async ([, fault, expected, accepted]) => {
    const seen = await submitWithFault(fault, { sendTimeouts: { requestMs: 700 } });
    expect(seen).toEqual({ answer: expect.objectContaining(expected), requests: 1, accepted });
  });

  test.for(names)("%s: %s", async ([name, message, expected]) => {
    const seen = await submitWithFault(error(name, message));
    expect(seen).toEqual({ answer: expect.objectContaining(expected), requests: 1, accepted: 0 });
    expect(seen.answer).toMatchObject({
      message: expect.stringMatching(/./),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test("a used-up daily quota is a hold, and an exceeded send rate is a throttle", async () => {
    const configurationSetName = await aConfigurationSet(sesProvider());
    const mail = aMail({ configurationSetName });
    onTestFinished(() => simulator.control("PATCH", "account", { max24HourSend: -1, maxSendRate: 10_000 }));
    await simulator.control("PATCH", "account", { max24HourSend: 0 });
    expect(await sesProvider().submit(mail)).toMatchObject(held("quota"));
    await simulator.control("PATCH", "account", { max24HourSend: -1, maxSendRate: 1 });
    const answers = [await sesProvider().submit(mail), await sesProvider().submit(mail)];
    expect(answers).toContainEqual(expect.objectContaining(isThrottled));
  });

  test("an answer without an SES error name proves nothing, except 413 and 429", async () => {
    const answers = [
      [400, "<html>", isUnknown],
      [403, "<html>", isUnknown],
      [404, "", isUnknown],
      [400, '{"message":"no"}', isUnknown],
      [301, "", isUnknown],
      [200, "", isUnknown],
      [413, "", isTooLarge],
      [429, "<html>", isThrottled],
    ] as const;
    for (const [status, body, expected] of answers) {
      const server = await anEndpoint(() => ({ status, body }));
      expect(await sesProvider({ endpoint: server.url }).submit(aMail())).toMatchObject(expected);
      expect(server.requests()).toBe(1);
    }
  });
});

describe("a request that was certainly not sent is tried later", () => {
  const unresolvable = `http://${"a".repeat(64)}.test`;
  test.for([
    ["the server refuses the connection", "http://127.0.0.1:1"],
    ["the host name does not resolve", unresolvable],
  ])("when %s", async ([, endpoint]) => {
    expect(await sesProvider({ endpoint }).submit(aMail())).toMatchObject(isLater);
  });

  test("when no server answers the connection attempt, as behind a firewall", async () => {
    const endpoint = await anEndpointThatTakesNoConnection();
    expect(await sesProvider({ endpoint, sendTimeouts: { connectMs: 300 } }).submit(aMail())).toMatchObject({
      ...isLater,
      message: expect.stringContaining("did not establish a connection"),
    });
  });

  test("with an operator hold when there are no credentials", async () => {
    vi.unstubAllEnvs();
    for (const key of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(key, undefined);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    const server = await anEndpoint(() => ({ status: 200, body: "{}" }));
    expect(await sesProvider({ endpoint: server.url }).submit(aMail())).toMatchObject(held("operator"));
    expect(server.requests()).toBe(0);
  });

  test("with an operator hold when the token file cannot be read", async () => {
    vi.unstubAllEnvs();
    for (const key of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(key, undefined);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere/token");
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::000000000000:role/postern");
    const server = await anEndpoint(() => ({ status: 200, body: "{}" }));
    expect(await sesProvider({ endpoint: server.url }).submit(aMail())).toMatchObject(held("operator"));
    expect(server.requests()).toBe(0);
  });
});

describe("unverified identities", () => {
  test("are listed, both the sender and the recipients in the SES sandbox", async () => {
    const provider = sesProvider();
    const configurationSetName = await aConfigurationSet(provider);
    onTestFinished(() => simulator.control("PATCH", "account", { productionAccess: true }));
    const send = async (changes: Partial<OutgoingMail>) => {
      const answer = await provider.submit(aMail({ configurationSetName, ...changes }));
      return answer.kind === "refused" ? [answer.code, ...answer.unverified] : answer;
    };
    expect(await send({ from: { name: "Ünknown", address: "a@other.test" } })).toEqual([
      "PROVIDER_REJECTED",
      "a@other.test",
    ]);
    await simulator.control("PATCH", "account", { productionAccess: false });
    expect(await send({ to: ["b@c.test"], cc: ["d@e.test"] })).toEqual(["PROVIDER_REJECTED", "b@c.test", "d@e.test"]);
  });

  test.for([
    ["Shop, Inc. <a@b.test>, c.test, a@b.test", ["a@b.test", "c.test"]],
    ["arn:aws:ses:eu-west-1:000000000000:identity/b.test", ["arn:aws:ses:eu-west-1:000000000000:identity/b.test"]],
  ] as const)("are parsed from %s", async ([list, unverified]) => {
    const text = `Email address is not verified. The following identities failed the check in region EU-WEST-1: ${list}`;
    expect((await submitWithFault(error("MessageRejected", text))).answer).toMatchObject({
      kind: "refused",
      unverified,
    });
  });

  test("are not parsed from text that a customer wrote", async () => {
    const text =
      "Subject: Email address is not verified. The following identities failed the check in region X: a@b.test";
    expect((await submitWithFault(error("MessageRejected", text))).answer).toMatchObject({ unverified: [] });
  });
});
