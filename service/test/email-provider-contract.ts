import { randomBytes, randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type EmailProvider, type OutgoingMail, ProviderError } from "../src/provider/email-provider.ts";

interface ProviderUnderTest {
  /** `shop.test` may send there. */
  provider(): EmailProvider;
  /** A topic that an event destination of this set can point to. */
  topicFor(configurationSetName: string): Promise<string>;
}

export function aMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    from: { name: "Shop", address: "orders@shop.test" },
    to: ["customer@example.test"],
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject: "Your order",
    html: undefined,
    text: "It is on its way.",
    configurationSetName: "postern-AA",
    tags: { sendId: randomUUIDv7(), attempt: 1 },
    ...changes,
  };
}

export function aDomainName(): string {
  return `d-${randomBytes(6).toString("hex")}.test`;
}

export async function aConfigurationSet(provider: EmailProvider): Promise<string> {
  const name = `postern-${randomBytes(6).toString("hex")}`;
  await provider.createConfigurationSet(name);
  return name;
}

/** What Postern relies on when it hands a mail over, whoever takes it. */
export function describeSubmitContract(
  name: string,
  provider: () => Pick<EmailProvider, "submit">,
  setFor: () => Promise<string>,
): void {
  describe(`${name} takes mail`, () => {
    test("takes a mail and names it, each time with another name", async () => {
      const configurationSetName = await setFor();
      const mail = aMail({
        configurationSetName,
        cc: ["cc@example.test"],
        bcc: ["bcc@example.test"],
        html: "<p>ü</p>",
      });
      const [first, second] = [await provider().submit(mail), await provider().submit(mail)];
      expect([first.kind, second.kind]).toEqual(["accepted", "accepted"]);
      const ids = [first, second].map((answer) => (answer.kind === "accepted" ? answer.providerMessageId : ""));
      expect(ids).toEqual([expect.stringMatching(/^.{1,255}$/), expect.stringMatching(/^.{1,255}$/)]);
      expect(ids[0]).not.toBe(ids[1]);
    });

    test("answers a mail it cannot take with a refusal and throws nothing", async () => {
      const configurationSetName = await setFor();
      expect(await provider().submit(aMail({ configurationSetName, to: [] }))).toMatchObject({
        kind: "refused",
        code: "PROVIDER_REJECTED",
        message: expect.stringMatching(/./),
        unverified: [],
      });
    });
  });
}

/** Each promise of `EmailProvider` that needs no bad day is here. */
export function describeEmailProviderContract(name: string, { provider, topicFor }: ProviderUnderTest): void {
  describeSubmitContract(name, provider, () => aConfigurationSet(provider()));
  describe(`${name} as an email provider`, () => {
    test("makes an identity once, finds it with the same three tokens, and forgets it when it is removed", async () => {
      const domainName = aDomainName();
      const configurationSetName = await aConfigurationSet(provider());
      expect(await provider().findIdentity(domainName)).toBeUndefined();

      const created = await provider().createIdentity(domainName, configurationSetName);
      if (created === "exists") throw new Error("a new identity existed");
      expect(created).toMatchObject({ dkimStatus: "pending", dkimZone: expect.stringMatching(/\./) });
      expect(created.arn).toMatch(new RegExp(`^arn:.+:identity/${domainName}$`));
      expect(new Set(created.dkimTokens).size).toBe(3);

      expect(await provider().createIdentity(domainName, configurationSetName)).toBe("exists");
      expect(await provider().findIdentity(domainName)).toEqual(created);
      await provider().removeIdentity(domainName);
      expect(await provider().findIdentity(domainName)).toBeUndefined();
    });

    test("removing an identity that is not there is done already", async () => {
      await expect(provider().removeIdentity(aDomainName())).resolves.toBeUndefined();
    });

    test("lists identities with whether they may send", async () => {
      const domainName = aDomainName();
      await provider().createIdentity(domainName, await aConfigurationSet(provider()));
      const { identities } = await provider().listIdentities();
      expect(identities).toContainEqual({ domainName, isVerified: false });
      expect(identities).toContainEqual({ domainName: "shop.test", isVerified: true });
    });

    test("refuses an identity for a configuration set that is not there, with an error of ours", async () => {
      const refused = provider().createIdentity(aDomainName(), "postern-none");
      await expect(refused).rejects.toBeInstanceOf(ProviderError);
      await expect(refused).rejects.toMatchObject({ kind: "invalid" });
    });

    test("makes a configuration set once and knows whether it is there", async () => {
      const set = `postern-${randomBytes(6).toString("hex")}`;
      expect(await provider().hasConfigurationSet(set)).toBe(false);
      expect(await provider().createConfigurationSet(set)).toBe("created");
      expect(await provider().createConfigurationSet(set)).toBe("exists");
      expect(await provider().hasConfigurationSet(set)).toBe(true);
    });

    test("makes an event destination once", async () => {
      const set = await aConfigurationSet(provider());
      const topic = await topicFor(set);
      expect(await provider().createEventDestination(set, topic)).toBe("created");
      expect(await provider().createEventDestination(set, topic)).toBe("exists");
    });

    test("removing an address it never suppressed is done already", async () => {
      await expect(provider().removeSuppressedAddress("nobody@example.test")).resolves.toBeUndefined();
    });

    test("tells the quota in numbers to reckon with", async () => {
      const quota = await provider().readQuota();
      expect(quota).toMatchObject({ isSendingEnabled: true, isProduction: true });
      expect(quota.perSecond).toBeGreaterThan(0);
      expect(quota.usedToday).toBeGreaterThanOrEqual(0);
    });
  });
}
