import { describe, expect, test } from "vitest";
import { aDeliveryFixture, answers, aProviderThat } from "../../test/delivery-fixture.ts";
import { aClaimedSend } from "../../test/send-builders.ts";
import { useEmptyQueue } from "../../test/send-rows.ts";
import { aConfig, aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { SubmitResult } from "../provider/email-provider.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { type DeliveryDeps, submitSend } from "./submit-send.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const windowOver = { retryingSeconds: 86_400, backoffStep: 9 };

describe("a send is not submitted", () => {
  const cases: [string, Partial<ClaimedSend>, object][] = [
    ["if all recipients are suppressed: it becomes suppressed", { recipients: [] }, { kind: "suppressed" }],
    ["if its domain is gone: it fails", { domain: "gone" }, { kind: "failed", code: "DOMAIN_NOT_VERIFIED" }],
    [
      "if its domain is not verified: it is retried",
      { domain: "unverified" },
      { kind: "later", usesRetryWindow: true },
    ],
    [
      "if its domain is not verified and the retry window is over: it fails",
      { domain: "unverified", ...windowOver },
      { kind: "failed", code: "DOMAIN_NOT_VERIFIED" },
    ],
    ["if it has expired: it fails", { expiresInMs: 0 }, { kind: "failed", code: "EXPIRED" }],
    [
      "if it has expired and the outcome of an earlier attempt is unknown: it fails with that",
      { expiresInMs: -5, hasUnknownAttempt: true },
      { kind: "failed", code: "PROVIDER_OUTCOME_UNKNOWN" },
    ],
    [
      "if its content was deleted: it fails with that reason",
      { sealed: null },
      { kind: "failed", code: "INTERNAL", message: "The content of this send was deleted before it was sent." },
    ],
    [
      "if its content cannot be decrypted: it is retried",
      { sealed: Buffer.from("nonsense") },
      { kind: "later", usesRetryWindow: true },
    ],
    [
      "if its content cannot be decrypted and the retry window is over: it fails",
      { sealed: Buffer.from("nonsense"), ...windowOver },
      { kind: "failed", code: "INTERNAL" },
    ],
  ];

  test.for(cases)("%s", async ([, changes, move]) => {
    const { delivery, mails } = await deliver(answers.accepted, changes);
    expect(delivery).toMatchObject({ outcome: "returned", move });
    expect(mails).toEqual([]);
  });

  test.each([
    [50, { kind: "failed", code: "EXPIRED" }],
    [null, { kind: "sent" }],
    [61, { kind: "sent" }],
  ] as const)(
    "if it expires within %s ms and the provider needs 60 ms before it writes: %j",
    async (expiresInMs, move) => {
      let now = 0;
      const submit: DeliveryDeps["provider"]["submit"] = async (_mail, mayStart = () => true) => {
        now = 60;
        return mayStart() ? answers.accepted : { kind: "not-started", message: "", requestId: undefined };
      };
      const { delivery } = await deliver(
        answers.accepted,
        { expiresInMs },
        { provider: { submit }, clock: () => now },
        0,
      );
      expect(delivery).toMatchObject({ move });
    },
  );

  test("if its content key is not configured: it is retried until the operator has added the key", async () => {
    const { delivery, lines } = await deliver(
      answers.accepted,
      {},
      { contentKeys: aConfig({ CONTENT_KEY: aSecret() }).secrets.contentKey },
    );
    expect(delivery).toMatchObject({ outcome: "returned", move: { kind: "later", usesRetryWindow: true } });
    expect(lines.map(({ event }) => event)).toContain("delivery.content-not-opened");
  });

  test("if its lease has too little time left: it is given back", async () => {
    const deliverAt = (secondsAfterClaim: number) =>
      deliver(answers.accepted, {}, { clock: () => secondsAfterClaim * 1000 }, 0);
    expect((await deliverAt(44.9)).delivery.move).toEqual({ kind: "sent", providerMessageId: "m-1" });
    const late = await deliverAt(45);
    expect(late.delivery).toMatchObject({ outcome: "returned", move: { kind: "given-back" } });
    expect(late.mails).toEqual([]);
  });
});

describe("metrics of a submission", () => {
  test("the wait from acceptance is measured at the first submission only", async () => {
    const clock = () => 500;
    const first = await deliver(answers.accepted, { waitedSeconds: 20 }, { clock }, 0);
    expect(await first.counted("postern_accept_to_submit_seconds", { le: "10", mode: "live" })).toBe(0);
    expect(await first.counted("postern_accept_to_submit_seconds", { le: "30", mode: "live" })).toBe(1);
    const again = await deliver(answers.accepted, { waitedSeconds: null });
    expect(await again.counted("postern_accept_to_submit_seconds", { le: "+Inf" })).toBe(0);
    const notSubmitted = await deliver(answers.accepted, { waitedSeconds: 20, recipients: [] });
    expect(await notSubmitted.counted("postern_accept_to_submit_seconds", { le: "+Inf" })).toBe(0);
  });

  test.for([
    [{ ...answers.refused, errorCode: "MessageRejected" }, "MessageRejected"],
    [{ ...answers.throttled, errorCode: "TooManyRequestsException" }, "TooManyRequestsException"],
    [answers.unknown, "other"],
  ] as const)("an error of the provider is counted by its code: %j", async ([answer, code]) => {
    const { counted } = await deliver(answer);
    expect(await counted("postern_provider_errors_total", { code })).toBe(1);
    expect(await counted("postern_provider_errors_total")).toBe(1);
  });

  test("an accepted mail and one that was not started are no errors", async () => {
    for (const answer of [answers.accepted, { kind: "not-started", message: "", requestId: undefined } as const]) {
      const { counted } = await deliver(answer);
      expect(await counted("postern_provider_errors_total")).toBe(0);
    }
  });
});

describe("the submitted mail", () => {
  test("has the content, the tags of send and attempt, and the configuration set of the domain", async () => {
    const { send, mails } = await deliver(answers.accepted);
    expect(mails).toEqual([
      {
        from: { name: "Shop", address: `orders@${send.fromDomain}` },
        to: ["Ann@example.test"],
        cc: ["bob@example.test"],
        bcc: ["eve@example.test"],
        replyTo: undefined,
        subject: "Your order",
        html: undefined,
        text: "It is on its way.",
        configurationSetName: "postern-AA",
        tags: { sendId: send.id, attempt: 1 },
      },
    ]);
  });

  test("goes only to recipients that are still allowed, even when no recipient in `to` is left", async () => {
    const { mails } = await deliver(answers.accepted, { recipients: ["eve@example.test"] });
    expect(mails).toMatchObject([{ to: [], cc: [], bcc: ["eve@example.test"] }]);
  });

  test("goes to a recipient whatever the case of the address", async () => {
    const { mails } = await deliver(answers.accepted, { recipients: ["ann@example.test"] });
    expect(mails).toMatchObject([{ to: ["Ann@example.test"], cc: [], bcc: [] }]);
  });
});

describe("the answer of the provider decides the next state", () => {
  const unverified = (...identities: string[]): SubmitResult => ({ ...answers.refused, unverified: identities });
  const cases = [
    [
      "accepted: the send is sent",
      answers.accepted,
      {},
      { outcome: "accepted", move: { kind: "sent", providerMessageId: "m-1" } },
    ],
    [
      "refused: the send fails with the code and a message for the customer",
      answers.refused,
      {},
      {
        outcome: "refused",
        move: { kind: "failed", code: "PROVIDER_REJECTED", message: "The provider refused this send: Not that." },
      },
    ],
    [
      "refused for its size: the send fails with that code",
      { ...answers.refused, code: "MESSAGE_TOO_LARGE" },
      {},
      { move: { kind: "failed", code: "MESSAGE_TOO_LARGE" } },
    ],
    [
      "a recipient is not verified: the send fails, and the message names the SES sandbox",
      unverified("ann@example.test"),
      {},
      { move: { kind: "failed", code: "PROVIDER_REJECTED", message: expect.stringContaining("SES sandbox") } },
    ],
    [
      "the domain of the sender is not verified: the send is retried, and the domain counts as refused",
      unverified("own.test"),
      { fromDomain: "own.test" },
      { outcome: "refused", isDomainRefused: true, move: { kind: "later", usesRetryWindow: true } },
    ],
    [
      "an address of that domain is not verified: the same",
      unverified("Orders@Own.test", "ann@example.test"),
      { fromDomain: "own.test" },
      { isDomainRefused: true, move: { kind: "later", usesRetryWindow: true } },
    ],
    [
      "another domain with the same ending is not verified: the send fails",
      unverified("not-own.test", "x@sub.own.test"),
      { fromDomain: "own.test" },
      { move: { kind: "failed", code: "PROVIDER_REJECTED" } },
    ],
    [
      "the domain is not verified and the retry window is over: the send fails",
      unverified("own.test"),
      { fromDomain: "own.test", ...windowOver },
      { move: { kind: "failed", code: "DOMAIN_NOT_VERIFIED" } },
    ],
    [
      "held: the send is given back",
      answers.held,
      windowOver,
      { outcome: "try-later", hold: "quota", move: { kind: "given-back" } },
    ],
    [
      "throttled: the send is retried soon, even after the retry window",
      answers.throttled,
      windowOver,
      { outcome: "try-later", isThrottled: true, move: { kind: "later", usesRetryWindow: false } },
    ],
    [
      "unavailable: the send is retried",
      answers.later,
      {},
      { outcome: "try-later", move: { kind: "later", usesRetryWindow: true } },
    ],
    [
      "unavailable and the retry window is over: the send fails",
      answers.later,
      windowOver,
      { outcome: "try-later", move: { kind: "failed", code: "PROVIDER_UNAVAILABLE" } },
    ],
    [
      "unknown: the send is in doubt, even after the retry window",
      answers.unknown,
      windowOver,
      { move: { kind: "in-doubt" } },
    ],
  ] as const;

  test.for(cases)("%s", async ([, answer, changes, expected]) => {
    const { delivery } = await deliver(answer, changes);
    expect(delivery).toMatchObject(expected);
  });

  test("no answer because the request could not be built: the send fails as INTERNAL", async () => {
    const { delivery, lines } = await deliver(() => Promise.reject(new Error("a bug")));
    expect(delivery).toMatchObject({ outcome: "returned", move: { kind: "failed", code: "INTERNAL" } });
    expect(lines.map(({ event }) => event)).toEqual(["delivery.submit-threw", "delivery.attempted"]);
  });
});

test("an attempt is one log line with all its facts, without addresses or the message of the provider", async () => {
  const { send, lines } = await deliver({ ...answers.refused, message: "Not to ann@example.test." });
  expect(lines).toEqual([
    {
      event: "delivery.attempted",
      account_id: send.accountId,
      level: "info",
      time: expect.any(String),
      send_id: send.id,
      attempt: 1,
      outcome: "refused",
      status: "failed",
      code: "PROVIDER_REJECTED",
      request_id: "r-1",
      duration_ms: expect.any(Number),
    },
  ]);
});

async function deliver(
  answer: SubmitResult | (() => Promise<SubmitResult>),
  changes: Partial<ClaimedSend> = {},
  depsChanges: Partial<DeliveryDeps> = {},
  claimedAt = performance.now(),
) {
  const { mails, provider } = aProviderThat(answer);
  const { deps, lines, counted } = aDeliveryFixture(database.db, provider, depsChanges);
  const recipients = { to: ["Ann@example.test"], cc: ["bob@example.test"], bcc: ["eve@example.test"] };
  const send = { ...(await aClaimedSend(database.db, recipients)), ...changes };
  return { delivery: await submitSend(deps, send, claimedAt), mails, lines, counted, send };
}
