import { randomBytes, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { notificationTypes } from "./notification-types.ts";
import { signNotification } from "./signature.ts";

const secret = randomBytes(32);
const now = Math.floor(Date.now() / 1000);

test("the signature equals the test vector of the Standard Webhooks libraries", () => {
  const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  expect(signNotification([key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}')).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test.for(notificationTypes)("the standardwebhooks package accepts a signed %s and returns its body", (type) => {
  const envelope = {
    type,
    timestamp: "2026-11-17T09:30:00.000Z",
    mode: "live",
    data: { subject: "Grüße 📬", to: "é" },
  };
  expect(verifiedBy(secret, randomUUID(), JSON.stringify(envelope), [secret])).toEqual(envelope);
});

test("it makes the same signature as the standardwebhooks package", () => {
  const [id, body] = [randomUUID(), '{"type":"send.sent"}'];
  expect(signNotification([secret], id, now, body)).toBe(libraryOf(secret).sign(id, new Date(now * 1000), body));
});

test("during a rotation receivers with the old secret and receivers with the new secret accept it, and no others", () => {
  const [old, other] = [randomBytes(32), randomBytes(32)];
  for (const known of [old, secret]) expect(verifiedBy(known, "id", "{}", [secret, old])).toEqual({});
  expect(() => verifiedBy(other, "id", "{}", [secret, old])).toThrow("No matching signature found");
});

test("it refuses to sign with no secret or at a fraction of a second", () => {
  expect(() => signNotification([], "id", now, "{}")).toThrow("at least one secret");
  expect(() => signNotification([secret], "id", now + 0.5, "{}")).toThrow("whole seconds");
});

function verifiedBy(known: Buffer, id: string, body: string, secrets: Buffer[]): unknown {
  const signature = signNotification(secrets, id, now, body);
  const headers = { "webhook-id": id, "webhook-timestamp": String(now), "webhook-signature": signature };
  return libraryOf(known).verify(body, headers);
}

function libraryOf(known: Buffer): Webhook {
  return new Webhook(`whsec_${known.toString("base64")}`);
}
