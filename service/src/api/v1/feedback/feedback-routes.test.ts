import { describe, expect, onTestFinished, test } from "vitest";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { requireDocumented } from "../../../../test/validate-response.ts";
import { AppError } from "../../../errors.ts";
import type { FeedbackPush, FeedbackReading, PushReading } from "../../../provider/feedback.ts";
import { createApiServer } from "../../http/create-api-server.ts";

const api = useTestApi();
const path = "/api/v1/feedback/ses";
const tooLarge = "x".repeat(513 * 1024);

/** Posts a body to an API whose signature check always returns the given reading. */
async function push(
  reading: PushReading,
  { result = async () => "applied" as const, body = "{}", mayRead = true } = {},
) {
  const received: { reading: FeedbackReading; raw: string }[] = [];
  const confirmed: unknown[] = [];
  const feedbackPush: FeedbackPush = {
    mayRead: () => mayRead,
    read: async () => reading,
    confirm: async (confirmation) => void confirmed.push(confirmation),
  };
  const receive = async (given: FeedbackReading, raw: string) => {
    received.push({ reading: given, raw });
    return result();
  };
  const app = await createApiServer({ ...api.deps, feedbackEndpoint: { push: feedbackPush, receive } });
  onTestFinished(() => app.close());
  const headers = { "content-type": "text/plain; charset=UTF-8" };
  const response = await app.inject({ method: "POST", url: path, headers, payload: body });
  const contentType = response.headers["content-type"] ?? "";
  requireDocumented({ method: "POST", path, status: response.statusCode, contentType, body: response.body });
  return { status: response.statusCode, headers: response.headers, json: response.json(), received, confirmed };
}

const feedback = { kind: "ignored", type: "Open" } as const;

describe("POST /api/v1/feedback/ses", () => {
  test("returns 200 after storing a signed notification, without a credential", async () => {
    const response = await push(
      { kind: "notification", messageId: "m", feedback },
      { body: '{"Type":"Notification"}' },
    );
    expect(response).toMatchObject({ status: 200, json: { success: true } });
    expect(response.received).toEqual([{ reading: feedback, raw: '{"Type":"Notification"}' }]);
  });

  test("confirms a subscription of the topic by a call to SNS", async () => {
    const confirmation = { kind: "confirmation", topicArn: "arn:aws:sns:eu-central-1:1:t", token: "token" } as const;
    const response = await push(confirmation);
    expect(response.status).toBe(200);
    expect(response.confirmed).toEqual([confirmation]);
  });

  test("returns 200 for the end of a subscription and stores nothing", async () => {
    const response = await push({ kind: "unsubscribed", topicArn: "arn:aws:sns:eu-central-1:1:t" });
    expect(response).toMatchObject({ status: 200, received: [] });
  });

  test("returns 401 for a message that SNS did not sign, without the reason", async () => {
    const response = await push({ kind: "refused", reason: "the signature does not fit" });
    expect(response).toMatchObject({ status: 401, received: [], json: { error: { code: "UNAUTHORIZED" } } });
    expect(JSON.stringify(response.json)).not.toContain("does not fit");
  });

  test("returns 503 when the certificate or the database is unavailable, so that SNS redelivers", async () => {
    const unchecked = await push({ kind: "cannot-check", reason: "the certificate cannot be fetched" });
    expect(unchecked).toMatchObject({ status: 503, headers: { "retry-after": "20" } });
    const unstored = await push(
      { kind: "notification", messageId: "m", feedback },
      { result: () => Promise.reject(new AppError("UNAVAILABLE", "The database is unavailable.")) },
    );
    expect(unstored.status).toBe(503);
  });

  test("returns 404 where no push is configured, without reading the body", async () => {
    const headers = { "content-type": "text/plain" };
    const response = await api.call({ method: "POST", path, rawBody: tooLarge, headers });
    expect([response.status, response.json().error.message]).toEqual([404, expect.stringContaining("FEEDBACK_PUSH")]);
  });

  test("returns 401 for headers that SNS does not send, without reading the body", async () => {
    const response = await push({ kind: "refused", reason: "" }, { body: tooLarge, mayRead: false });
    expect(response).toMatchObject({ status: 401, json: { error: { code: "UNAUTHORIZED" } } });
  });

  test("returns 503 for the third large body of an address, and reads that of another address", async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const feedbackPush: FeedbackPush = {
      mayRead: () => true,
      read: async () => {
        await over;
        return { kind: "refused", reason: "" };
      },
      confirm: async () => undefined,
    };
    const endpoint = { push: feedbackPush, receive: async () => "applied" as const };
    const app = await createApiServer({ ...api.deps, feedbackEndpoint: endpoint });
    onTestFinished(() => app.close());
    const headers = { "content-type": "text/plain" };
    const post = async (remoteAddress: string) => {
      const payload = "x".repeat(70 * 1024);
      return (await app.inject({ method: "POST", url: path, headers, remoteAddress, payload })).statusCode;
    };
    const slow = [post("10.0.0.1"), post("10.0.0.1"), ...Array.from({ length: 8 }, () => post("10.0.0.1"))];
    const other = post("10.0.0.2");
    await expect(slow[2]).resolves.toBe(503);
    end();
    expect(await Promise.all(slow)).toEqual([401, 401, ...Array(8).fill(503)]);
    expect(await other).toBe(401);
  });

  test("returns 413 for a body larger than any SNS message", async () => {
    const response = await push({ kind: "refused", reason: "" }, { body: tooLarge });
    expect(response.status).toBe(413);
  });
});
