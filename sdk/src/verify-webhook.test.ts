import { expect, test } from "vitest";
import { aSecret, aSignedRequest, headersOf } from "../test/signed-request.ts";
import { verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts";
import type { WebhookSecret } from "./webhook-secret.ts";
import { WebhookVerificationError, type WebhookVerificationErrorCode } from "./webhook-verification-error.ts";

const secret = aSecret();
const now = new Date("2026-11-17T09:30:00.400Z");
const body = '{"type":"domain.verified","data":{"domain":{"id":7,"name":"grüße.io"}}}';
const request = aSignedRequest(secret, body, { at: now });
const { id, timestamp, signature } = request;
const headers = headersOf(request);

test.for<[string, WebhookHeaders]>([
  ["Headers", new Headers(headers)],
  ["an object with names in lower case", headers],
  ["names in any case", { "Webhook-Id": id, "WEBHOOK-TIMESTAMP": timestamp, "Webhook-signature": signature }],
  ["headers of a Node request", { host: "acme.io", "set-cookie": ["a"], "x-none": undefined, ...headers }],
  ["lists of one value", { "webhook-id": [id], "webhook-timestamp": [timestamp], "webhook-signature": [signature] }],
])("accepts %s", async ([, given]) => {
  expect(await verifyWebhook(body, given, secret, { now })).toEqual(JSON.parse(body));
});

test.for<[string, string | Uint8Array]>([
  ["a string", body],
  ["a Uint8Array", new TextEncoder().encode(body)],
  ["a Buffer", Buffer.from(body)],
  ["a part of a larger buffer", Buffer.from(`[[${body}]]`).subarray(2, -2)],
])("accepts the body as %s", async ([, given]) => {
  expect(await verifyWebhook(given, headers, secret, { now })).toEqual(JSON.parse(body));
});

test("accepts any of several secrets, and the signature of any of them", async () => {
  const [old, other] = [aSecret(), aSecret()];
  const rotating = headersOf(aSignedRequest([secret, old], body, { at: now }));
  for (const known of [secret, old, [other, old], [undefined, "", secret]] satisfies WebhookSecret[]) {
    expect(await verifyWebhook(body, rotating, known, { now })).toEqual(JSON.parse(body));
  }
  expect(await refusal({ headers: rotating, secret: [other, aSecret()] })).toBe("no_matching_signature");
});

test("accepts a secret without its prefix or with white space around it", async () => {
  for (const given of [secret.slice("whsec_".length), ` ${secret}\n`]) {
    expect(await verifyWebhook(body, headers, given, { now })).toEqual(JSON.parse(body));
  }
});

test("ignores signatures of unknown versions", async () => {
  const signatureOf = (value: string) => ({ ...headers, "webhook-signature": value });
  const value = signature.slice("v1,".length);
  expect(await refusal({ headers: signatureOf(`v1a,${value} v2,${value} ${value} v1`) })).toBe("no_matching_signature");
  const known = await verifyWebhook(body, signatureOf(`v1a,abc v2,${value} ${signature}`), secret, { now });
  expect(known).toEqual(JSON.parse(body));
});

test.for<[number, WebhookVerificationErrorCode | "accepted"]>([
  [-301, "too_old"],
  [-300, "accepted"],
  [300, "accepted"],
  [301, "too_new"],
])("a request signed %i seconds from now is %s", async ([seconds, expected]) => {
  const at = new Date(now.getTime() + seconds * 1000);
  expect(await refusal({ headers: headersOf(aSignedRequest(secret, body, { at })) })).toBe(expected);
});

test.for<[number, number, WebhookVerificationErrorCode | "accepted"]>([
  [10, 10, "accepted"],
  [10, 11, "too_old"],
  [3_600, 3_000, "accepted"],
  [0, 0, "accepted"],
  [Number.NaN, 0, "too_old"],
  [-1, 0, "too_old"],
])(
  "with a tolerance of %i seconds a request signed %i seconds ago is %s",
  async ([toleranceSeconds, age, expected]) => {
    const at = new Date(now.getTime() - age * 1000);
    expect(await refusal({ headers: headersOf(aSignedRequest(secret, body, { at })), toleranceSeconds })).toBe(
      expected,
    );
  },
);

test("without options the clock and five minutes decide", async () => {
  const fresh = headersOf(aSignedRequest(secret, body));
  expect(await verifyWebhook(body, fresh, secret)).toEqual(JSON.parse(body));
  await expect(verifyWebhook(body, headers, secret)).rejects.toMatchObject({ code: expect.stringMatching(/^too_/) });
});

test.for(Object.keys(headers))("without the header %s a request is refused as missing_header", async (name) => {
  expect(await refusal({ headers: { ...headers, [name]: undefined } })).toBe("missing_header");
  expect(await refusal({ headers: { ...headers, [name]: "" } })).toBe("missing_header");
  await expect(verifyWebhook(body, new Headers(), secret)).rejects.toThrow("The request has no header webhook-id.");
});

test.for(["soon", "1e9", `${timestamp}.5`, `${timestamp}x`, ` ${timestamp}`, `-${timestamp}`, "٣", "9".repeat(30)])(
  "the timestamp %j is refused as bad_timestamp",
  async (given) => {
    expect(await refusal({ headers: { ...headers, "webhook-timestamp": given } })).toBe("bad_timestamp");
  },
);

test.for<[string, WebhookSecret]>([
  ["undefined", undefined],
  ["empty", ""],
  ["an empty list", []],
  ["a list of nothing", [undefined, " "]],
  ["no base64", "whsec_not-base64!"],
  ["an API key", "postern_live_0123456789abcdef0123456789abcdef"],
  ["cut off", secret.slice(0, 20)],
  ["too long", `whsec_${Buffer.alloc(65).toString("base64")}`],
  ["one of a list that is cut off", [secret, secret.slice(0, 20)]],
])("a secret that is %s is refused as bad_secret", async ([, given]) => {
  expect(await refusal({ secret: given })).toBe("bad_secret");
});

test("a body that a framework parsed is refused, and the message says to pass the raw body", async () => {
  const parsed = JSON.parse(body);
  const error = await verifyWebhook(parsed, headers, secret, { now }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "bad_body", message: expect.stringContaining("raw body") });
});

test.for(["", "not JSON", "null", "7", '"text"', "[]", "{}", '{"type":7}'])(
  "the signed body %j is refused as bad_body",
  async (given) => {
    const signed = headersOf(aSignedRequest(secret, given, { at: now }));
    expect(await refusal({ body: given, headers: signed })).toBe("bad_body");
  },
);

test("a type that is newer than the package is returned", async () => {
  const newer = '{"type":"send.opened","data":{}}';
  const signed = headersOf(aSignedRequest(secret, newer, { at: now }));
  expect(await verifyWebhook(newer, signed, secret, { now })).toEqual({ type: "send.opened", data: {} });
});

interface Attempt {
  body?: string;
  headers?: WebhookHeaders;
  secret?: WebhookSecret;
  toleranceSeconds?: number;
}

async function refusal(attempt: Attempt): Promise<WebhookVerificationErrorCode | "accepted"> {
  const given = { body, headers, secret, ...attempt };
  const { toleranceSeconds } = attempt;
  try {
    await verifyWebhook(given.body, given.headers, given.secret, { now, toleranceSeconds });
    return "accepted";
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}
