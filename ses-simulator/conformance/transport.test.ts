import {
  AccountSuspendedException,
  AlreadyExistsException,
  BadRequestException,
  ConcurrentModificationException,
  ConflictException,
  GetAccountCommand,
  InternalServiceErrorException,
  InvalidNextTokenException,
  LimitExceededException,
  MailFromDomainNotVerifiedException,
  MessageRejected,
  NotFoundException,
  SESv2Client,
  SendEmailCommand,
  SendingPausedException,
  TooManyRequestsException,
} from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aMail } from "../test/builders.ts";
import { credentials, useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

const signed = (scope: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=A/20261115/eu-west-1/${scope}/aws4_request, SignedHeaders=host, Signature=${"0".repeat(64)}`,
  "x-amz-date": "20261115T000000Z",
});
const account = (headers: Record<string, string>) => fetch(`${running.url}/v2/email/account`, { headers });

/** Fact sheet, section 1: HTTP requests, error answers, and how the SDK reads them. */
describe("transport", () => {
  test("a request without a signature is a MissingAuthenticationTokenException", async () => {
    const response = await account({});
    expect(response.status).toBe(403);
    expect(response.headers.get("x-amzn-errortype")).toBe("MissingAuthenticationTokenException");
  });

  test("SES refuses a signature for another service", async () => {
    expect((await account(signed("email"))).status).toBe(403);
    expect((await account(signed("ses"))).status).toBe(200);
  });

  test("SES refuses an incomplete signature", async () => {
    const { authorization, ...rest } = signed("ses");
    expect((await account({ ...rest, authorization: authorization.slice(0, -1) })).status).toBe(403);
    expect((await account({ authorization })).status).toBe(403);
  });

  test("every answer carries a request id, and the SDK returns it", async () => {
    const { $metadata } = await running.ses.send(new GetAccountCommand());
    expect($metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const error = await running.ses.send(new SendEmailCommand(aMail({ FromEmailAddress: "a@b.test" }))).catch((e) => e);
    expect(error.$metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("a body that is not JSON is a BadRequestException", async () => {
    const response = await fetch(`${running.url}/v2/email/outbound-emails`, {
      method: "POST",
      headers: signed("ses"),
      body: "{",
    });
    expect(response.status).toBe(400);
    expect(response.headers.get("x-amzn-errortype")).toBe("BadRequestException");
  });

  test("an operation that the simulator does not have is an UnknownOperationException", async () => {
    const response = await fetch(`${running.url}/v2/email/contact-lists`, {
      method: "POST",
      headers: signed("ses"),
      body: "{}",
    });
    expect(response.status).toBe(404);
    expect(response.headers.get("x-amzn-errortype")).toBe("UnknownOperationException");
  });
});

describe("errors", () => {
  const documented = [
    ["AccountSuspendedException", 400, AccountSuspendedException],
    ["AlreadyExistsException", 400, AlreadyExistsException],
    ["BadRequestException", 400, BadRequestException],
    ["ConcurrentModificationException", 500, ConcurrentModificationException],
    ["ConflictException", 409, ConflictException],
    ["InternalServiceErrorException", 500, InternalServiceErrorException],
    ["InvalidNextTokenException", 400, InvalidNextTokenException],
    ["LimitExceededException", 400, LimitExceededException],
    ["MailFromDomainNotVerifiedException", 400, MailFromDomainNotVerifiedException],
    ["MessageRejected", 400, MessageRejected],
    ["NotFoundException", 404, NotFoundException],
    ["SendingPausedException", 400, SendingPausedException],
    ["TooManyRequestsException", 429, TooManyRequestsException],
  ] as const;

  test.each(documented)("%s arrives with status %i as the SDK's class", async (name, status, type) => {
    await running.control("POST", "rules", { times: 1, fault: { kind: "error", name, message: "from the rule" } });
    const error = await running.ses.send(new SendEmailCommand(aMail())).catch((e) => e);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ name, message: "from the rule", $metadata: { httpStatusCode: status, attempts: 1 } });
  });

  const undeclared = [
    ["AccessDeniedException", 403],
    ["ExpiredTokenException", 403],
    ["InvalidSignatureException", 403],
    ["RequestExpired", 403],
    ["ThrottlingException", 400],
    ["UnrecognizedClientException", 403],
  ] as const;

  test.each(undeclared)("the undeclared error %s arrives with its name and status %i", async (name, status) => {
    await running.control("POST", "rules", { times: 1, fault: { kind: "error", name } });
    const error = await running.ses.send(new SendEmailCommand(aMail())).catch((e) => e);
    expect(error).toMatchObject({ name, $metadata: { httpStatusCode: status } });
  });
});

describe("the retries of the SDK", () => {
  const retried = [
    ["a reset", { kind: "accept-then-reset" }],
    ["a 500", { kind: "http-error", status: 500, errorType: true, accepted: true }],
    ["a 503", { kind: "http-error", status: 503, accepted: true }],
  ] as const;

  test.each(retried)("with default settings, %s makes SES accept one call three times", async (_, fault) => {
    await running.control("POST", "rules", { times: 3, fault });
    const before = (await running.control("GET", "health")).body.accepted;
    const ses = new SESv2Client({ endpoint: running.url, region: "eu-west-1", credentials });
    await ses.send(new SendEmailCommand(aMail())).catch(() => {});
    expect((await running.control("GET", "health")).body.accepted - before).toBe(3);
  });

  test.each([["TooManyRequestsException"], ["LimitExceededException"]])(
    "the SDK retries %s, and SES accepts the mail once",
    async (name) => {
      await running.control("POST", "rules", { times: 2, fault: { kind: "error", name } });
      const before = (await running.control("GET", "health")).body.accepted;
      const ses = new SESv2Client({ endpoint: running.url, region: "eu-west-1", credentials });
      const { $metadata } = await ses.send(new SendEmailCommand(aMail()));
      expect($metadata.attempts).toBe(3);
      expect((await running.control("GET", "health")).body.accepted - before).toBe(1);
    },
  );
});
