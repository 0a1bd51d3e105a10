import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { notificationTypes } from "../../service/src/webhooks/notification-types.ts";
import { verifyWebhook, WebhookVerificationError } from "../src/postern.ts";
import { sampleNotifications } from "./sample-notifications.ts";
import { aSecret, aSignedRequest, headersOf } from "./signed-request.ts";
import { tamperedRequests } from "./tampered-requests.ts";

const secret = aSecret();
const library = new Webhook(secret);

test("the samples have every type that the service sends", () => {
  expect(sampleNotifications.map(({ type }) => type)).toEqual(notificationTypes);
});

describe.for(sampleNotifications)("$type", (notification) => {
  const body = JSON.stringify(notification);
  const request = aSignedRequest(secret, body);

  test("signed by the service, verifies with the SDK and with the standardwebhooks package", async () => {
    expect(await verifyWebhook(body, headersOf(request), secret)).toEqual(notification);
    expect(library.verify(body, headersOf(request))).toEqual(notification);
  });

  test("signed by the standardwebhooks package, verifies with the SDK", async () => {
    const signature = library.sign(request.id, new Date(Number(request.timestamp) * 1000), body);
    expect(await verifyWebhook(body, headersOf({ ...request, signature }), secret)).toEqual(notification);
  });
});

test("1,000 requests with one changed character in body, id, timestamp or signature are all refused", async () => {
  const requests = sampleNotifications.map((notification) => aSignedRequest(secret, JSON.stringify(notification)));
  const tampered = tamperedRequests(requests, 1_000, Date.now());
  const bodies = new Set(requests.map(({ body }) => body));
  expect(tampered.filter(({ body }) => !bodies.has(body))).toHaveLength(250);
  const refusals = await Promise.all(
    tampered.map((request) =>
      verifyWebhook(request.body, headersOf(request), secret).then(
        () => request,
        (error) => (error instanceof WebhookVerificationError ? "refused" : error),
      ),
    ),
  );
  expect(refusals.filter((refusal) => refusal !== "refused")).toEqual([]);
  expect(refusals).toHaveLength(1_000);
});
