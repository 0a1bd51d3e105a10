import { createPublicKey, verify, X509Certificate } from "node:crypto";
import { SendEmailCommand } from "@aws-sdk/client-sesv2";
import { UnsubscribeCommand } from "@aws-sdk/client-sns";
import { describe, expect, test } from "vitest";
import { aSubscription, publish } from "../test/a-subscription.ts";
import { anEndpoint } from "../test/an-endpoint.ts";
import { type AnyEvent, aConfigurationSet, aMail, aTopic } from "../test/builders.ts";
import { useSimulator } from "../test/use-simulator.ts";

const running = useSimulator();

/** An independent check, written from the documented string to sign. It shares no code with the simulator. */
async function isGenuine(message: AnyEvent): Promise<boolean> {
  const pem = await (await fetch(message.SigningCertURL)).text();
  const certificate = new X509Certificate(pem);
  const names =
    message.Type === "Notification"
      ? ["Message", "MessageId", ...("Subject" in message ? ["Subject"] : []), "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  let toSign = "";
  for (const name of names) toSign += `${name}\n${message[name]}\n`;
  const algorithm = { "1": "RSA-SHA1", "2": "RSA-SHA256" }[message.SignatureVersion as "1" | "2"];
  const signature = Buffer.from(message.Signature, "base64");
  return verify(
    algorithm,
    Buffer.from(toSign),
    createPublicKey(certificate.publicKey.export({ type: "spki", format: "pem" })),
    signature,
  );
}

/** Fact sheet, section 6. */
describe("SNS signatures", () => {
  test.each([["1"], ["2"]])(
    "a version %s signature passes an independent check and fails with one bit flipped in any signed field",
    async (version) => {
      const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running, { SignatureVersion: version })];
      const { confirmation, arn } = await aSubscription(running, endpoint, topicArn);
      await publish(running, topicArn, 'a message with "quotes",\nlines and ü', "with a subject");
      const withSubject = (await endpoint.next()).body;
      await publish(running, topicArn);
      const plain = (await endpoint.next()).body;
      await running.sns.send(new UnsubscribeCommand({ SubscriptionArn: arn }));
      const removal = (await endpoint.next()).body;
      expect(removal.Type).toBe("UnsubscribeConfirmation");
      for (const message of [confirmation.body, withSubject, plain, removal]) {
        expect(message.SignatureVersion).toBe(version);
        expect(await isGenuine(message)).toBe(true);
        for (const field of ["Message", "MessageId", "Timestamp", "TopicArn", "Signature"]) {
          expect(await isGenuine({ ...message, [field]: flipBit(message[field]) }), `${message.Type} ${field}`).toBe(
            false,
          );
        }
      }
      expect(await isGenuine({ ...withSubject, Subject: flipBit(withSubject.Subject) })).toBe(false);
      expect(await isGenuine({ ...removal, Token: flipBit(removal.Token) })).toBe(false);
    },
  );

  test("the signing certificate has a URL in the format of SNS, is valid now and is self-signed", async () => {
    const { certificateUrl } = running.simulator;
    expect(new URL(certificateUrl).pathname).toMatch(/^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/);
    const certificate = new X509Certificate(await (await fetch(certificateUrl)).text());
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  test("the signing certificate survives a restart", async () => {
    const before = new URL(running.simulator.certificateUrl).pathname;
    await running.restart();
    expect(new URL(running.simulator.certificateUrl).pathname).toBe(before);
  });

  test("the SigningCertURL starts with the certificate URL of the options", async () => {
    running.options.certificateUrl = "https://sns.eu-west-1.amazonaws.com";
    await running.restart();
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running)];
    const { confirmation } = await aSubscription(running, endpoint, topicArn);
    expect(confirmation.body.SigningCertURL).toMatch(
      /^https:\/\/sns\.eu-west-1\.amazonaws\.com\/SimpleNotificationService-/,
    );
    delete running.options.certificateUrl;
    await running.restart();
  });
});

describe("SES events over push", () => {
  test("an SES event arrives at the endpoint with a valid signature and the tags of the mail", async () => {
    const [endpoint, topicArn] = [await anEndpoint(), await aTopic(running, { SignatureVersion: "2" })];
    await aSubscription(running, endpoint, topicArn);
    const ConfigurationSetName = await aConfigurationSet(running, topicArn, ["SEND"]);
    const EmailTags = [{ Name: "send_id", Value: "7" }];
    await running.ses.send(new SendEmailCommand(aMail({ ConfigurationSetName, EmailTags })));
    const { body } = await endpoint.next();
    expect(await isGenuine(body)).toBe(true);
    expect(JSON.parse(body.Message)).toMatchObject({ eventType: "Send", mail: { tags: { send_id: ["7"] } } });
  });
});

function flipBit(text: string): string {
  const bytes = Buffer.from(text);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes.toString();
}
