import { describe, expect, test } from "vitest";
import { answers, aProviderThat, deliveryTestDeps } from "../../test/delivery-deps.ts";
import { aClaimedSend } from "../../test/send-builders.ts";
import { useEmptyQueue } from "../../test/send-rows.ts";
import { aConfig, aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { SubmitResult } from "../provider/email-provider.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { type DeliveryDeps, submitSend } from "./submit-send.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const gaveUp = { retryingSeconds: 86_400, backoffStep: 9 };

describe("a send that may not go is not handed over", () => {
  const reasons: [string, Partial<ClaimedSend>, object][] = [
    ["all recipients suppressed: suppressed", { recipients: [] }, { kind: "suppressed" }],
    ["the domain gone: failed", { domain: "gone" }, { kind: "failed", code: "DOMAIN_NOT_VERIFIED" }],
    ["the domain not verified: later", { domain: "unverified" }, { kind: "later", counts: true }],
    [
      "the domain not verified until patience ended: failed",
      { domain: "unverified", ...gaveUp },
      { kind: "failed", code: "DOMAIN_NOT_VERIFIED" },
    ],
    [
      "the content dropped: failed, saying so",
      { sealed: null },
      { kind: "failed", code: "INTERNAL", message: "The content of this send was dropped before it was sent." },
    ],
    ["the content not to be opened: later", { sealed: Buffer.from("nonsense") }, { kind: "later", counts: true }],
    [
      "the content not to be opened until patience ended: failed",
      { sealed: Buffer.from("nonsense"), ...gaveUp },
      { kind: "failed", code: "INTERNAL" },
    ],
  ];

  test.for(reasons)("%s", async ([, changes, move]) => {
    const { delivery, mails } = await deliver(answers.accepted, changes);
    expect(delivery).toMatchObject({ outcome: "returned", move });
    expect(mails).toEqual([]);
  });

  test("content sealed with a key that is not configured waits for the operator", async () => {
    const { delivery, lines } = await deliver(
      answers.accepted,
      {},
      { contentKeys: aConfig({ CONTENT_KEY: aSecret() }).secrets.contentKey },
    );
    expect(delivery).toMatchObject({ outcome: "returned", move: { kind: "later", counts: true } });
    expect(lines.map(({ event }) => event)).toContain("delivery.content-not-opened");
  });

  test("too little left of the lease: given back", async () => {
    const beginning = (secondsAfterClaim: number) =>
      deliver(answers.accepted, {}, { clock: () => secondsAfterClaim * 1000 }, 0);
    expect((await beginning(44.9)).delivery.move).toEqual({ kind: "sent", providerMessageId: "m-1" });
    const late = await beginning(45);
    expect(late.delivery).toMatchObject({ outcome: "returned", move: { kind: "given-back" } });
    expect(late.mails).toEqual([]);
  });
});

describe("what is handed over", () => {
  test("the content, tagged with send and attempt, under the configuration set of the domain", async () => {
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

  test("only recipients that are still allowed get it, also when nobody of `to` is left", async () => {
    const { mails } = await deliver(answers.accepted, { recipients: ["eve@example.test"] });
    expect(mails).toMatchObject([{ to: [], cc: [], bcc: ["eve@example.test"] }]);
  });

  test("a recipient is recognised whatever its letters", async () => {
    const { mails } = await deliver(answers.accepted, { recipients: ["ann@example.test"] });
    expect(mails).toMatchObject([{ to: ["Ann@example.test"], cc: [], bcc: [] }]);
  });
});

describe("what the answer means", () => {
  const unverified = (...identities: string[]): SubmitResult => ({ ...answers.refused, unverified: identities });
  const cases = [
    ["accepted: sent", answers.accepted, {}, { outcome: "accepted", move: { kind: "sent", providerMessageId: "m-1" } }],
    [
      "refused: failed with its code, in words for the customer",
      answers.refused,
      {},
      {
        outcome: "refused",
        move: { kind: "failed", code: "PROVIDER_REJECTED", message: "The provider refused this send: Not that." },
      },
    ],
    [
      "refused for its size: failed with that code",
      { ...answers.refused, code: "MESSAGE_TOO_LARGE" },
      {},
      { move: { kind: "failed", code: "MESSAGE_TOO_LARGE" } },
    ],
    [
      "a recipient not verified: failed, naming the SES sandbox",
      unverified("ann@example.test"),
      {},
      { move: { kind: "failed", code: "PROVIDER_REJECTED", message: expect.stringContaining("SES sandbox") } },
    ],
    [
      "the domain of the sender not verified: later, and the domain is looked at",
      unverified("own.test"),
      { fromDomain: "own.test" },
      { outcome: "refused", isDomainRefused: true, move: { kind: "later", counts: true } },
    ],
    [
      "an address of that domain not verified: the same",
      unverified("Orders@Own.test", "ann@example.test"),
      { fromDomain: "own.test" },
      { isDomainRefused: true, move: { kind: "later", counts: true } },
    ],
    [
      "a domain that only ends alike is another one",
      unverified("not-own.test", "x@sub.own.test"),
      { fromDomain: "own.test" },
      { move: { kind: "failed", code: "PROVIDER_REJECTED" } },
    ],
    [
      "the domain not verified until patience ended: failed",
      unverified("own.test"),
      { fromDomain: "own.test", ...gaveUp },
      { move: { kind: "failed", code: "DOMAIN_NOT_VERIFIED" } },
    ],
    ["held: given back", answers.held, gaveUp, { outcome: "try-later", hold: "quota", move: { kind: "given-back" } }],
    [
      "throttled: soon, and never failed however long it was tried",
      answers.throttled,
      gaveUp,
      { outcome: "try-later", isThrottled: true, move: { kind: "later", counts: false } },
    ],
    ["not reached: later", answers.later, {}, { outcome: "try-later", move: { kind: "later", counts: true } }],
    [
      "not reached until patience ended: failed",
      answers.later,
      gaveUp,
      { outcome: "try-later", move: { kind: "failed", code: "PROVIDER_UNAVAILABLE" } },
    ],
    ["unknown: in doubt, also after patience ended", answers.unknown, gaveUp, { move: { kind: "in-doubt" } }],
  ] as const;

  test.for(cases)("%s", async ([, answer, changes, expected]) => {
    const { delivery } = await deliver(answer, changes);
    expect(delivery).toMatchObject(expected);
  });

  test("what cannot be made a mail is failed as our own fault: nothing has left", async () => {
    const { delivery, lines } = await deliver(() => Promise.reject(new Error("a bug")));
    expect(delivery).toMatchObject({ outcome: "returned", move: { kind: "failed", code: "INTERNAL" } });
    expect(lines.map(({ event }) => event)).toEqual(["delivery.submit-threw", "delivery.attempted"]);
  });
});

test("an attempt is one log line with its facts, and without addresses or the provider's words", async () => {
  const { send, lines } = await deliver({ ...answers.refused, message: "Not to ann@example.test." });
  expect(lines).toEqual([
    {
      event: "delivery.attempted",
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
  const { deps, lines } = deliveryTestDeps(database.db, provider, depsChanges);
  const everyone = { to: ["Ann@example.test"], cc: ["bob@example.test"], bcc: ["eve@example.test"] };
  const send = { ...(await aClaimedSend(database.db, everyone)), ...changes };
  return { delivery: await submitSend(deps, send, claimedAt), mails, lines, send };
}
