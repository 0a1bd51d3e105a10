import { randomBytes, randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type EmailProvider, type OutgoingMail, ProviderError } from "../src/provider/email-provider.ts";

interface ProviderUnderTest {
  /** `shop.test` is verified at this provider. */
  provider(): EmailProvider;
  /** A topic that an event destination of this configuration set can use. */
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

/** What Postern requires of `submit`, for every provider. */
export function describeSubmitContract(
  name: string,
  provider: () => Pick<EmailProvider, "submit">,
  setFor: () => Promise<string>,
): void {
  describe(`${name} accepts submissions`, () => {
    test("accepts a mail and returns a different message id each time", async () => {
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

    test("answers an invalid mail with a refusal and does not throw", async () => {
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

/** Every guarantee of `EmailProvider` that can be tested without an injected fault. */
export function describeEmailProviderContract(name: string, { provider, topicFor }: ProviderUnderTest): void {
  describeSubmitContract(name, provider, () => aConfigurationSet(provider()));
  describe(`${name} as an email provider`, () => {
    test("creates an identity once, finds it with the same three tokens, and no longer finds it after its removal", async () => {
      const domainName = aDomainName();
      const configurationSetName = await aConfigurationSet(provider());
      expect(await provider().findIdentity(domainName)).toBeUndefined();

      const created = await provider().createIdentity(domainName, configurationSetName);
      if (created === "exists") throw new Error("a new identity already exists");
      expect(created).toMatchObject({ dkimStatus: "pending", dkimZone: expect.stringMatching(/\./) });
      expect(created.arn).toMatch(new RegExp(`^arn:.+:identity/${domainName}$`));
      expect(new Set(created.dkimTokens).size).toBe(3);

      expect(await provider().createIdentity(domainName, configurationSetName)).toBe("exists");
      expect(await provider().findIdentity(domainName)).toEqual(created);
      await provider().removeIdentity(domainName);
      expect(await provider().findIdentity(domainName)).toBeUndefined();
    });

    test("sets, reports and removes the MAIL FROM domain of an identity, and refuses one outside of it", async () => {
      const domainName = aDomainName();
      await provider().createIdentity(domainName, await aConfigurationSet(provider()));
      const found = async () => (await provider().findIdentity(domainName))?.mailFrom;
      expect(await found()).toBeUndefined();
      await provider().setMailFrom(domainName, `bounce.${domainName}`);
      await provider().setMailFrom(domainName, `bounce.${domainName}`);
      expect(await found()).toEqual({ domain: `bounce.${domainName}`, status: "pending" });
      await expect(provider().setMailFrom(domainName, "bounce.elsewhere.test")).rejects.toMatchObject({
        kind: "invalid",
      });
      await provider().setMailFrom(domainName, undefined);
      expect(await found()).toBeUndefined();
      await expect(provider().setMailFrom(aDomainName(), undefined)).rejects.toMatchObject({ kind: "invalid" });
    });

    test("removing an identity that does not exist succeeds", async () => {
      await expect(provider().removeIdentity(aDomainName())).resolves.toBeUndefined();
    });

    test("lists identities with their verification state", async () => {
      const domainName = aDomainName();
      await provider().createIdentity(domainName, await aConfigurationSet(provider()));
      const { identities } = await provider().listIdentities();
      expect(identities).toContainEqual({ domainName, isVerified: false });
      expect(identities).toContainEqual({ domainName: "shop.test", isVerified: true });
    });

    test("refuses an identity for a missing configuration set with a ProviderError", async () => {
      const refused = provider().createIdentity(aDomainName(), "postern-none");
      await expect(refused).rejects.toBeInstanceOf(ProviderError);
      await expect(refused).rejects.toMatchObject({ kind: "invalid" });
    });

    test("creates a configuration set once", async () => {
      const set = `postern-${randomBytes(6).toString("hex")}`;
      expect(await provider().createConfigurationSet(set)).toBe("created");
      expect(await provider().createConfigurationSet(set)).toBe("exists");
    });

    test("creates an event destination once", async () => {
      const set = await aConfigurationSet(provider());
      const topic = await topicFor(set);
      expect(await provider().createEventDestination(set, topic)).toBe("created");
      expect(await provider().createEventDestination(set, topic)).toBe("exists");
    });

    test("removing an address that is not suppressed succeeds", async () => {
      await expect(provider().removeSuppressedAddress("nobody@example.test")).resolves.toBeUndefined();
    });

    test("lists the suppressed addresses in pages", async () => {
      const { addresses, next } = await provider().listSuppressedAddresses();
      expect([addresses, next]).toEqual([expect.any(Array), undefined]);
    });

    test("reports the quota as numbers", async () => {
      const quota = await provider().readQuota();
      expect(quota).toMatchObject({ isSendingEnabled: true, isProduction: true, enforcementStatus: "HEALTHY" });
      expect(quota.perSecond).toBeGreaterThan(0);
      expect(quota.usedToday).toBeGreaterThanOrEqual(0);
    });
  });
}
