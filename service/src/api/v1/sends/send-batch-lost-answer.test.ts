import { afterEach, describe, expect, test, vi } from "vitest";
import { change } from "../../../../test/send-rows.ts";
import { hello, type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";
import { AppError } from "../../../errors.ts";

const { api, aSender, setLimits, countSends } = useSendingApi();

afterEach(() => vi.restoreAllMocks());

/** The first answer of the database is lost after its commit. */
function loseFirstAnswer(afterCommit: () => Promise<unknown>): void {
  const { decide } = api.deps.acceptDeps;
  let calls = 0;
  vi.spyOn(api.deps.acceptDeps, "decide").mockImplementation(async (candidates) => {
    calls += 1;
    const decisions = await decide(candidates);
    if (calls > 1) return decisions;
    await afterCommit();
    throw new AppError("UNAVAILABLE", "The connection was cut.", { cause: new Error("reset") });
  });
}

async function batch(sender: TestSender, mails: unknown[]) {
  const response = await api.call({
    method: "POST",
    path: "/api/v1/send/batch",
    key: sender.key,
    body: { defaults: { from: sender.from, ...hello }, mails },
  });
  const { accepted, verdicts = [], error } = response.json();
  const codes = verdicts.map(
    (verdict: { status: number; error?: { code: string } }) => verdict.error?.code ?? verdict.status,
  );
  return { status: response.status, accepted, codes, error };
}

describe("a batch of which a mail is stored, and the answer of the commit was lost,", () => {
  const mails = [{}, { from: "a@unverified.test" }, {}];

  test("is answered with its verdicts when its one request a second is counted", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 1, 20, 600);
    loseFirstAnswer(() => Promise.resolve());
    const codes = [202, "DOMAIN_NOT_VERIFIED", 202];
    expect(await batch(sender, mails)).toMatchObject({ status: 202, accepted: 2, codes });
    expect(await countSends(sender.accountId)).toBe(2);
  });

  test("is answered with 202 when its key is revoked in between: only the verdict of the refused mail is 401", async () => {
    const sender = await aSender();
    loseFirstAnswer(() =>
      change(api.database.db, "update api_keys set revoked_at = now() where account_id = $1", [sender.accountId]),
    );
    expect(await batch(sender, mails)).toMatchObject({ status: 202, accepted: 2, codes: [202, "UNAUTHORIZED", 202] });
    expect(await countSends(sender.accountId)).toBe(2);
  });
});

test("a batch with a mail of unknown outcome gets 503, because after 429 the caller repeats all its mails", async () => {
  const sender = await aSender({ isUnlimited: false });
  await setLimits(sender.accountId, 1, 20, 600);
  const { decide } = api.deps.acceptDeps;
  let calls = 0;
  vi.spyOn(api.deps.acceptDeps, "decide").mockImplementation(async (candidates) => {
    calls += 1;
    if (calls > 1) return decide(candidates);
    // Uses up the window.
    await decide(candidates.slice(0, 1).map((candidate) => ({ ...candidate, send: undefined })));
    throw new AppError("UNAVAILABLE", "The connection was cut.", { cause: new Error("reset"), retryAfterSeconds: 1 });
  });
  const answer = await batch(sender, [{}, { idempotency_key: "k" }]);
  expect([answer.status, answer.error.code]).toEqual([503, "UNAVAILABLE"]);
});
