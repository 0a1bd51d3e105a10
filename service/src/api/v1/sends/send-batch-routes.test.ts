import { beforeAll, describe, expect, test, vi } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { hello, type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";
import { setQuotas } from "../../../accounts/quota-store.ts";
import { AppError } from "../../../errors.ts";

const { api, aSender, setLimits, send, statusOf, countSends } = useSendingApi();

type Credential = { key: string } | { token: string };

interface Verdict {
  status: number;
  send?: Record<string, unknown> & { id: string };
  error?: { code: string; message: string; details?: { field: string; code: string }[] };
}

function post(credential: Credential, body: unknown, headers: Record<string, string> = {}, query = "") {
  return api.call({ method: "POST", path: `/api/v1/send/batch${query}`, ...credential, headers, body });
}

function batch(sender: TestSender, mails: unknown[], defaults: Record<string, unknown> = {}) {
  return post(sender, { defaults: { from: sender.from, ...hello, ...defaults }, mails });
}

function verdictsOf(response: { json(): { verdicts: Verdict[] } }): Verdict[] {
  return response.json().verdicts;
}

function statusesOf(response: { json(): { verdicts: Verdict[] } }): (number | string)[] {
  return verdictsOf(response).map(({ status, error }) => error?.code ?? status);
}

describe("POST /api/v1/send/batch returns 202", () => {
  let sender: TestSender;
  beforeAll(async () => {
    sender = await aSender();
  });

  test("with the verdict of each mail in order: what POST /send would answer", async () => {
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@example.io" });
    const response = await batch(sender, [
      { idempotency_key: "first" },
      { to: ["no address"], subject: "" },
      { from: "orders@unverified.test" },
      { to: ["gone@example.io", "Jane@example.io"] },
      { to: ["gone@example.io"], tags: ["late"], metadata: { order: 1 } },
      "mail",
    ]);
    expect(response.status).toBe(202);
    expect(response.json()).toMatchObject({ accepted: 3, refused: 3 });
    expect(statusesOf(response)).toEqual([
      202,
      "VALIDATION_ERROR",
      "DOMAIN_NOT_VERIFIED",
      202,
      202,
      "VALIDATION_ERROR",
    ]);
    const [first, invalid, , partly, suppressed, text] = verdictsOf(response);
    expect(first?.send).toEqual((await statusAnswer(sender, first?.send?.id)).accepted);
    expect(invalid?.error?.details?.map(({ field, code }) => `${field} ${code}`)).toEqual([
      "mails[1].to[0] invalid",
      "mails[1].subject empty",
    ]);
    expect(partly?.send).toMatchObject({ status: "queued", suppressed_recipients: ["gone@example.io"] });
    expect(suppressed?.send).toMatchObject({ status: "suppressed" });
    expect(text?.error?.details).toMatchObject([{ field: "mails[5]", code: "wrong_type" }]);
    expect((await statusOf(suppressed?.send?.id ?? "", sender)).json()).toMatchObject({ tags: ["late"] });
  });

  /** The answer of POST /send to the same mail, which is a repeat. */
  async function statusAnswer(of: TestSender, id: string | undefined) {
    const repeat = (await send(of, { idempotency_key: "first" })).json();
    expect(repeat.id).toBe(id);
    return { accepted: { ...repeat, idempotent: false } };
  }

  test("a field of a mail replaces the default as a whole, and null removes it", async () => {
    const response = await batch(sender, [{ subject: "Own" }, { html: null }, { html: null, text: "Own" }], {
      html: "<p>Shared</p>",
      text: null,
      tags: ["a"],
    });
    expect(statusesOf(response)).toEqual([202, "VALIDATION_ERROR", 202]);
    const [own] = verdictsOf(response);
    expect((await statusOf(own?.send?.id ?? "", sender)).json()).toMatchObject({ subject: "Own", tags: ["a"] });
    expect(verdictsOf(response)[1]?.error?.details).toMatchObject([{ field: "mails[1].html", code: "required" }]);
  });

  test("a problem of a default names the default, for every mail that uses it", async () => {
    const response = await batch(sender, [{}, { reply_to: "a@b.io", form: null }], { reply_to: "nobody", form: "x" });
    const fields = verdictsOf(response).map(({ error }) => error?.details?.map(({ field }) => field));
    expect(fields).toEqual([["defaults.reply_to", "defaults.form"], ["mails[1].form"]]);
    const unknown = await batch(sender, [{}], { idempotency_key: "k" });
    expect(verdictsOf(unknown)[0]?.error?.details).toMatchObject([{ field: "defaults.idempotency_key" }]);
  });

  test("for 100 mails with 50 recipients each, and counts them as one request", async () => {
    const limited = await aSender({ isUnlimited: false });
    await setLimits(limited.accountId, 2, 20, 100);
    const to = Array.from({ length: 50 }, (_, number) => `jane-${number}@example.io`);
    const response = await batch(limited, Array(100).fill({}), { to });
    expect([response.status, response.json().accepted]).toEqual([202, 100]);
    expect(response.headers.ratelimit).toBe('"second";r=1, "10-seconds";r=19, "minute";r=99');
    expect(await countSends(limited.accountId)).toBe(100);
  });

  test("in test mode and for a JWT with its mode", async () => {
    const tester = await aSender({ type: "test" });
    const sandbox = await batch(tester, [{}, {}], { from: "a@sandbox.test" });
    expect(statusesOf(sandbox)).toEqual([202, 202]);
    const { accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
    const body = { mails: [{ from: "a@sandbox.test", ...hello }] };
    expect(statusesOf(await post({ token }, body, {}, "?mode=test"))).toEqual([202]);
    expect(statusesOf(await post({ token }, body))).toEqual(["DOMAIN_NOT_VERIFIED"]);
  });

  test("says that the mail of the account is on hold", async () => {
    const held = await aSender();
    await change(api.database.db, "update accounts set guard_held_at = now(), guard_reason = 'bounces' where id = $1", [
      held.accountId,
    ]);
    const [verdict] = verdictsOf(await batch(held, [{}]));
    expect(verdict?.send).toMatchObject({ held: true, held_reason: "bounces" });
  });

  test("a mail that exceeds a quota is refused, after the mails before it, with the seconds to wait", async () => {
    const limited = await aSender();
    await setQuotas(api.database.db, { accountId: limited.accountId, mode: "live" }, { recipientsPerDay: 2 });
    await api.deps.acceptDeps.quotas.refresh();
    const response = await batch(limited, [{}, { to: ["a@x.io", "b@x.io"] }, {}]);
    expect(statusesOf(response)).toEqual([202, "QUOTA_EXCEEDED", 202]);
    expect(verdictsOf(response)[1]).toMatchObject({
      status: 429,
      error: {
        message: expect.stringContaining("of which 1 remain; this send has 2"),
        retry_after_seconds: expect.any(Number),
      },
    });
  });

  test("a mail from another domain than that of the key is refused, and the others are sent", async () => {
    const other = await aVerifiedDomain(api.database.db, sender.accountId);
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { domain: sender.domain });
    const response = await batch({ ...sender, key }, [{ from: `a@${other}` }, {}]);
    expect(statusesOf(response)).toEqual(["UNAUTHORIZED", 202]);
    expect(verdictsOf(response)[0]?.error?.message).toContain(`may send from ${sender.domain} only`);
  });

  test("the log line of the request says how many mails were accepted", async () => {
    await batch(sender, [{}, { to: [] }]);
    const line = api.logLines.map((each) => JSON.parse(each)).findLast(({ mails }) => mails !== undefined);
    expect(line).toMatchObject({ mails: 2, accepted: 1, refused: 1, mode: "live" });
  });

  test("the refusals of the key count each mail", async () => {
    const counted = await aSender();
    const count = vi.spyOn(api.deps.refusalCounts, "count");
    await batch(counted, [{}, { to: [] }, { from: "a@unverified.test" }]);
    expect(count.mock.calls.map(([{ code }]) => code)).toEqual(["VALIDATION_ERROR", "DOMAIN_NOT_VERIFIED"]);
    count.mockRestore();
  });
});

describe("POST /api/v1/send/batch returns 422", () => {
  test("BATCH_REFUSED with the verdicts when no mail was accepted, and counts one request", async () => {
    const sender = await aSender({ isUnlimited: false });
    const response = await batch(sender, [{ to: [] }, { from: "a@unverified.test" }]);
    expect(response.status).toBe(422);
    expect(response.json()).toMatchObject({
      success: false,
      error: {
        code: "BATCH_REFUSED",
        message: expect.stringMatching(/^None of the 2 mails of the batch was accepted\./),
      },
      accepted: 0,
      refused: 2,
    });
    expect(statusesOf(response)).toEqual(["VALIDATION_ERROR", "DOMAIN_NOT_VERIFIED"]);
    expect(response.headers.ratelimit).toContain('"second";r=2');
    const invalid = await batch(sender, [{ to: [] }]);
    expect(invalid.headers.ratelimit).toContain('"second";r=1');
  });

  test("for a batch that is not valid as a whole, with every problem, and counts one request", async () => {
    const sender = await aSender();
    const problems = async (body: unknown, headers = {}, query = "") => {
      const response = await post(sender, body, headers, query);
      expect(response.status).toBe(422);
      expect(response.headers.ratelimit).toBeDefined();
      expect(response.json().error.code).toBe("VALIDATION_ERROR");
      return response
        .json()
        .error.details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
    };
    expect(await problems({})).toEqual(["mails required"]);
    expect(await problems({ mails: [] })).toEqual(["mails too_small"]);
    expect(await problems({ mails: Array(101).fill({}) })).toEqual(["mails too_large"]);
    expect(await problems({ mails: {}, defaults: [], default: 1 })).toEqual([
      "defaults wrong_type",
      "mails wrong_type",
      "default unknown_field",
    ]);
    expect(await problems({ mails: [{}] }, { "idempotency-key": "k".repeat(253) }, "?mode=test")).toEqual([
      "mode contradiction",
      "Idempotency-Key wrong_format",
    ]);
    const to = Array(51).fill("jane@example.io");
    expect(await problems({ mails: Array(100).fill({ to }) })).toEqual(["mails too_large"]);
  });

  test("a key of 252 characters fits, and a longer one is refused", async () => {
    const sender = await aSender();
    const body = { defaults: { from: sender.from, ...hello }, mails: Array(11).fill({}) };
    const key = "k".repeat(252);
    const verdicts = verdictsOf(await post(sender, body, { "idempotency-key": key }));
    expect(verdicts[10]?.send?.idempotency_key).toBe(`${key}/10`);
  });
});

describe("POST /api/v1/send/batch answers, before anything about the body,", () => {
  const invalid = { mails: "none" };

  test("401 without a credential that may send", async () => {
    const reader = await aSender({ scopes: ["read"] });
    expect((await post({ key: "postern_live_x" }, invalid)).status).toBe(401);
    expect((await post(reader, invalid)).status).toBe(401);
  });

  test("429 when the rate limit is used up, for all its mails", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 1, 1, 1);
    expect((await batch(sender, [{}, {}])).status).toBe(202);
    const statuses = [await batch(sender, [{}, {}]), await post(sender, invalid)].map(({ status, headers }) => [
      status,
      headers["retry-after"] !== undefined,
    ]);
    expect(statuses).toEqual([
      [429, true],
      [429, true],
    ]);
    expect(await countSends(sender.accountId)).toBe(2);
  });

  test("415 for another media type, and 413 above 8 MiB, also when defaults make the mails larger", async () => {
    const sender = await aSender();
    expect((await post(sender, invalid, { "content-type": "text/plain" })).status).toBe(415);
    const large = await batch(sender, [{ html: "x".repeat(8 * 1024 * 1024) }]);
    expect(large.status).toBe(413);
    const expanded = await batch(sender, Array(100).fill({}), { html: "x".repeat(90_000) });
    expect([expanded.status, expanded.json().error.message]).toEqual([
      413,
      expect.stringContaining("8.6 MiB together"),
    ]);
    expect(await countSends(sender.accountId)).toBe(0);
    expect((await batch(sender, Array(90).fill({}), { html: "x".repeat(90_000) })).json().accepted).toBe(90);
  });

  test("503 when the database cannot answer, and when it is unknown whether any mail is stored", async () => {
    const sender = await aSender();
    const { acceptDeps } = api.deps;
    const decide = vi.spyOn(acceptDeps, "decide").mockImplementation(() => {
      throw new AppError("UNAVAILABLE", "The connection was cut.", { cause: new Error("reset"), retryAfterSeconds: 1 });
    });
    expect((await batch(sender, [{}, { to: [] }])).status).toBe(503);
    decide.mockRestore();
    expect(await countSends(sender.accountId)).toBe(0);
  });
});
