import { describe, expect, onTestFinished, test } from "vitest";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { requireDocumented } from "../../../../test/validate-response.ts";
import { AppError } from "../../../errors.ts";
import type { FeedbackPush, FeedbackReading, PushReading } from "../../../provider/feedback.ts";
import { createApiServer } from "../../http/server.ts";

const api = useTestApi();
const path = "/api/v1/feedback/ses";

/** The API with a door behind which a signature was already judged. */
async function push(reading: PushReading, { takes = async () => "applied" as const, body = "{}" } = {}) {
  const taken: { reading: FeedbackReading; raw: string }[] = [];
  const confirmed: unknown[] = [];
  const door: FeedbackPush = {
    read: async () => reading,
    confirm: async (confirmation) => void confirmed.push(confirmation),
  };
  const take = async (given: FeedbackReading, raw: string) => {
    taken.push({ reading: given, raw });
    return takes();
  };
  const app = await createApiServer({ ...api.deps, feedbackEndpoint: { push: door, take } });
  onTestFinished(() => app.close());
  const headers = { "content-type": "text/plain; charset=UTF-8" };
  const response = await app.inject({ method: "POST", url: path, headers, payload: body });
  const contentType = response.headers["content-type"] ?? "";
  requireDocumented({ method: "POST", path, status: response.statusCode, contentType, body: response.body });
  return { status: response.statusCode, headers: response.headers, json: response.json(), taken, confirmed };
}

const feedback = { kind: "ignored", type: "Open" } as const;

describe("POST /api/v1/feedback/ses", () => {
  test("answers 200 once a genuine notification is safe, without a credential", async () => {
    const answer = await push({ kind: "notification", messageId: "m", feedback }, { body: '{"Type":"Notification"}' });
    expect(answer).toMatchObject({ status: 200, json: { success: true } });
    expect(answer.taken).toEqual([{ reading: feedback, raw: '{"Type":"Notification"}' }]);
  });

  test("confirms a subscription of the topic by a call of its own", async () => {
    const confirmation = { kind: "confirmation", topicArn: "arn:aws:sns:eu-central-1:1:t", token: "token" } as const;
    const answer = await push(confirmation);
    expect(answer.status).toBe(200);
    expect(answer.confirmed).toEqual([confirmation]);
  });

  test("answers 200 to the end of a subscription and takes nothing", async () => {
    const answer = await push({ kind: "unsubscribed", topicArn: "arn:aws:sns:eu-central-1:1:t" });
    expect(answer).toMatchObject({ status: 200, taken: [] });
  });

  test("answers 401 to what SNS did not sign, without saying what gave it away", async () => {
    const answer = await push({ kind: "refused", reason: "the signature does not fit" });
    expect(answer).toMatchObject({ status: 401, taken: [], json: { error: { code: "UNAUTHORIZED" } } });
    expect(JSON.stringify(answer.json)).not.toContain("does not fit");
  });

  test("answers 503 for trouble of our own, so that SNS comes again", async () => {
    const unchecked = await push({ kind: "cannot-check", reason: "the certificate cannot be fetched" });
    expect(unchecked).toMatchObject({ status: 503, headers: { "retry-after": "20" } });
    const unstored = await push(
      { kind: "notification", messageId: "m", feedback },
      { takes: () => Promise.reject(new AppError("UNAVAILABLE", "The database is away.")) },
    );
    expect(unstored.status).toBe(503);
  });

  test("answers 503 while the installation is not connected to AWS", async () => {
    const response = await api.call({ method: "POST", path, rawBody: "{}", headers: { "content-type": "text/plain" } });
    expect(response.status).toBe(503);
  });

  test("answers 413 to more than SNS ever sends", async () => {
    const answer = await push({ kind: "refused", reason: "" }, { body: "x".repeat(513 * 1024) });
    expect(answer.status).toBe(413);
  });
});
