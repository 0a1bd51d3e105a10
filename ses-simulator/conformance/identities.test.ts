import {
  AlreadyExistsException,
  BadRequestException,
  CreateConfigurationSetCommand,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  InvalidNextTokenException,
  ListEmailIdentitiesCommand,
  MailFromDomainNotVerifiedException,
  NotFoundException,
  PutEmailIdentityFeedbackAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SendEmailCommand,
} from "@aws-sdk/client-sesv2";
import { describe, expect, test } from "vitest";
import { aDnsServer } from "../test/a-dns-server.ts";
import { aMail } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const dns = await aDnsServer();
const zone = "dkim.eu-west-1.amazonses.com";
const running = useSimulator({ dnsServer: dns.address, signingHostedZone: zone });

const create = (EmailIdentity: string) => running.ses.send(new CreateEmailIdentityCommand({ EmailIdentity }));
const get = (EmailIdentity: string) => running.ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
const setStatus = (name: string, status: string) =>
  running.control("POST", `identities/${name}/verification`, { status });
const publish = (domain: string, tokens: string[] = []) => {
  for (const token of tokens) dns.records[`${token}._domainkey.${domain} CNAME`] = `${token}.${zone}`;
};

/** Fact sheet, section 3. */
describe("CreateEmailIdentity", () => {
  test("CreateEmailIdentity returns three Easy DKIM tokens, the hosted zone, 2048 bits, and no ARN", async () => {
    const answer = await running.ses.send(
      new CreateEmailIdentityCommand({
        EmailIdentity: "create.test",
        DkimSigningAttributes: { NextSigningKeyLength: "RSA_2048_BIT" },
      }),
    );
    expect(answer).toMatchObject({
      IdentityType: "DOMAIN",
      VerifiedForSendingStatus: false,
      DkimAttributes: {
        SigningEnabled: true,
        Status: "PENDING",
        SigningHostedZone: zone,
        SigningAttributesOrigin: "AWS_SES",
        NextSigningKeyLength: "RSA_2048_BIT",
        CurrentSigningKeyLength: "RSA_2048_BIT",
      },
    });
    expect(new Set(answer.DkimAttributes?.Tokens).size).toBe(3);
    for (const token of answer.DkimAttributes?.Tokens ?? []) expect(token).toMatch(/^[a-z0-9]{32}$/);
    expect(answer.DkimAttributes?.LastKeyGenerationTimestamp).toBeInstanceOf(Date);
    expect(JSON.stringify(answer)).not.toContain("arn:");
  });

  test("a name that exists in any letter case is an AlreadyExistsException", async () => {
    await create("twice.test");
    await expect(create("Twice.TEST")).rejects.toBeInstanceOf(AlreadyExistsException);
  });

  test("an unknown configuration set is a NotFoundException, and SES creates no identity", async () => {
    const command = new CreateEmailIdentityCommand({ EmailIdentity: "noset.test", ConfigurationSetName: "none" });
    await expect(running.ses.send(command)).rejects.toBeInstanceOf(NotFoundException);
    await expect(get("noset.test")).rejects.toBeInstanceOf(NotFoundException);
  });

  test.each([["localhost"], ["a b.test"], ["a..test"], ["-a.test"], ["ä.test"]])(
    "the name %s is a BadRequestException",
    async (name) => {
      await expect(create(name)).rejects.toBeInstanceOf(BadRequestException);
    },
  );
});

describe("GetEmailIdentity", () => {
  test("GetEmailIdentity decodes percent-encoded names and distinguishes the letter case of addresses", async () => {
    await create("User+x@case.test");
    expect(await get("User+x@case.test")).toMatchObject({
      IdentityType: "EMAIL_ADDRESS",
      VerificationStatus: "PENDING",
    });
    await expect(get("user+x@case.test")).rejects.toBeInstanceOf(NotFoundException);
  });

  test("GetEmailIdentity returns feedback forwarding, configuration set and tags", async () => {
    await running.ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName: "for-get" }));
    const Tags = [{ Key: "cell", Value: "AA" }];
    const command = new CreateEmailIdentityCommand({
      EmailIdentity: "full.test",
      ConfigurationSetName: "for-get",
      Tags,
    });
    await running.ses.send(command);
    await running.ses.send(
      new PutEmailIdentityFeedbackAttributesCommand({ EmailIdentity: "full.test", EmailForwardingEnabled: false }),
    );
    expect(await get("full.test")).toMatchObject({
      FeedbackForwardingStatus: false,
      ConfigurationSetName: "for-get",
      Tags,
    });
  });
});

describe("verification by DNS", () => {
  test("verification succeeds when all three CNAMEs point into the hosted zone", async () => {
    const { DkimAttributes } = await create("dns.test");
    publish("dns.test", DkimAttributes?.Tokens?.slice(0, 2));
    await setStatus("dns.test", "CHECK");
    const pending = await get("dns.test");
    expect(pending).toMatchObject({ VerificationStatus: "PENDING", VerifiedForSendingStatus: false });
    expect(pending.VerificationInfo?.ErrorType).toBe("HOST_NOT_FOUND");
    publish("dns.test", DkimAttributes?.Tokens);
    await setStatus("dns.test", "CHECK");
    const verified = await get("dns.test");
    expect(verified).toMatchObject({
      VerificationStatus: "SUCCESS",
      VerifiedForSendingStatus: true,
      DkimAttributes: { Status: "SUCCESS" },
    });
    expect(verified.VerificationInfo?.LastSuccessTimestamp).toBeInstanceOf(Date);
    expect(verified.VerificationInfo?.ErrorType).toBeUndefined();
  });

  test("a CNAME with another target is an INVALID_VALUE, and another record type is a TYPE_NOT_FOUND", async () => {
    const wrong = await create("wrong.test");
    for (const token of wrong.DkimAttributes?.Tokens ?? [])
      dns.records[`${token}._domainkey.wrong.test CNAME`] = `${token}.dkim.amazonses.com`;
    await setStatus("wrong.test", "CHECK");
    expect((await get("wrong.test")).VerificationInfo?.ErrorType).toBe("INVALID_VALUE");
    const other = await create("other.test");
    for (const token of other.DkimAttributes?.Tokens ?? [])
      dns.records[`${token}._domainkey.other.test MX`] = "mx.other.test";
    await setStatus("other.test", "CHECK");
    expect((await get("other.test")).VerificationInfo?.ErrorType).toBe("TYPE_NOT_FOUND");
  });

  test("a DNS server failure puts a verified identity into TEMPORARY_FAILURE, and the identity can still send", async () => {
    const { DkimAttributes } = await create("servfail.test");
    publish("servfail.test", DkimAttributes?.Tokens);
    await setStatus("servfail.test", "CHECK");
    dns.behaviour.failing = true;
    await setStatus("servfail.test", "CHECK");
    dns.behaviour.failing = false;
    expect(await get("servfail.test")).toMatchObject({
      VerificationStatus: "TEMPORARY_FAILURE",
      VerifiedForSendingStatus: true,
      VerificationInfo: { ErrorType: "DNS_SERVER_ERROR" },
    });
  });

  test("verification fails after 72 hours of simulated time", async () => {
    await create("late.test");
    await running.control("PUT", "clock", { speed: 1e12 });
    await setStatus("late.test", "CHECK");
    await running.control("PUT", "clock", { speed: 1 });
    expect(await get("late.test")).toMatchObject({ VerificationStatus: "FAILED", VerifiedForSendingStatus: false });
  });

  test("SES checks the records every 30 s", async () => {
    const { DkimAttributes } = await create("scheduled.test");
    publish("scheduled.test", DkimAttributes?.Tokens);
    await running.control("PUT", "clock", { speed: 300 });
    await expect.poll(async () => (await get("scheduled.test")).VerificationStatus, { timeout: 5000 }).toBe("SUCCESS");
    await running.control("PUT", "clock", { speed: 1 });
  });

  test("with REJECT_MESSAGE, SES refuses mail until the MX record of the MAIL FROM domain exists", async () => {
    const { DkimAttributes } = await create("mx.test");
    publish("mx.test", DkimAttributes?.Tokens);
    const mailFrom = {
      EmailIdentity: "mx.test",
      MailFromDomain: "bounce.mx.test",
      BehaviorOnMxFailure: "REJECT_MESSAGE",
    } as const;
    await running.ses.send(new PutEmailIdentityMailFromAttributesCommand(mailFrom));
    await setStatus("mx.test", "CHECK");
    const mail = new SendEmailCommand(aMail({ FromEmailAddress: "a@mx.test" }));
    await expect(running.ses.send(mail)).rejects.toBeInstanceOf(MailFromDomainNotVerifiedException);
    dns.records["bounce.mx.test MX"] = "feedback-smtp.eu-west-1.amazonses.com";
    await setStatus("mx.test", "CHECK");
    expect((await get("mx.test")).MailFromAttributes?.MailFromDomainStatus).toBe("SUCCESS");
    expect((await running.ses.send(mail)).MessageId).toBeDefined();
  });
});

describe("verification by hand", () => {
  test("a scheduled DNS check keeps a status set by hand, and a requested check replaces it", async () => {
    await create("lasting.test");
    await setStatus("lasting.test", "SUCCESS");
    await running.simulator.checkIdentities();
    expect((await get("lasting.test")).VerificationStatus).toBe("SUCCESS");
    await setStatus("lasting.test", "CHECK");
    expect((await get("lasting.test")).VerificationStatus).toBe("TEMPORARY_FAILURE");
  });

  test("the status SUCCESS set by hand allows a domain to send, and FAILED stops it", async () => {
    await create("hand.test");
    const mail = new SendEmailCommand(aMail({ FromEmailAddress: "a@hand.test" }));
    await expect(running.ses.send(mail)).rejects.toMatchObject({ name: "MessageRejected" });
    await setStatus("hand.test", "SUCCESS");
    expect((await running.ses.send(mail)).MessageId).toBeDefined();
    await setStatus("hand.test", "FAILED");
    await expect(running.ses.send(mail)).rejects.toMatchObject({ name: "MessageRejected" });
  });
});

describe("DeleteEmailIdentity", () => {
  test("DeleteEmailIdentity answers 200 once and then NotFoundException, and a new identity gets new tokens", async () => {
    const first = await create("gone.test");
    const remove = new DeleteEmailIdentityCommand({ EmailIdentity: "gone.test" });
    expect((await running.ses.send(remove)).$metadata.httpStatusCode).toBe(200);
    await expect(running.ses.send(remove)).rejects.toBeInstanceOf(NotFoundException);
    expect((await create("gone.test")).DkimAttributes?.Tokens).not.toEqual(first.DkimAttributes?.Tokens);
  });
});

describe("ListEmailIdentities", () => {
  test("ListEmailIdentities pages through all identities with their status and refuses an unknown token", async () => {
    const names: (string | undefined)[] = [];
    let NextToken: string | undefined;
    do {
      const page = await running.ses.send(new ListEmailIdentitiesCommand({ PageSize: 2, NextToken }));
      expect(page.EmailIdentities?.length).toBeLessThanOrEqual(2);
      names.push(...(page.EmailIdentities ?? []).map(({ IdentityName }) => IdentityName));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(names).toContain("shop.test");
    expect(new Set(names).size).toBe(names.length);
    const all = await running.ses.send(new ListEmailIdentitiesCommand({ PageSize: 1000 }));
    expect(all.EmailIdentities).toContainEqual({
      IdentityName: "shop.test",
      IdentityType: "DOMAIN",
      SendingEnabled: true,
      VerificationStatus: "SUCCESS",
    });
    const unknownToken = new ListEmailIdentitiesCommand({ NextToken: "unknown" });
    await expect(running.ses.send(unknownToken)).rejects.toBeInstanceOf(InvalidNextTokenException);
    await expect(running.ses.send(new ListEmailIdentitiesCommand({ PageSize: 1001 }))).rejects.toBeInstanceOf(
      BadRequestException,
    );
  });
});
