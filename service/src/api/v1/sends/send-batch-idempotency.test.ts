import { describe, expect, test } from "vitest";
import { hello, type TestSender, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, countSends } = useSendingApi();

async function batch(sender: TestSender, mails: unknown[], batchKey?: string) {
  const response = await api.call({
    method: "POST",
    path: "/api/v1/send/batch",
    key: sender.key,
    headers: batchKey === undefined ? {} : { "idempotency-key": batchKey },
    body: { defaults: { from: sender.from, ...hello }, mails },
  });
  return response.json();
}

describe("the keys of a batch", () => {
  test("a batch key gives each mail without a key of its own the key with its index; a repeat changes nothing", async () => {
    const sender = await aSender();
    const mails = [{}, { idempotency_key: "own" }, { subject: "Other" }];
    const first = await batch(sender, mails, "november");
    const keys = first.verdicts.map((verdict: { send: { idempotency_key: string } }) => verdict.send.idempotency_key);
    expect(keys).toEqual(["november/0", "own", "november/2"]);
    const again = await batch(sender, mails, "november");
    expect(again.verdicts).toEqual(
      first.verdicts.map(({ send: accepted, ...rest }: { send: object }) => ({
        ...rest,
        send: { ...accepted, idempotent: true },
      })),
    );
    expect(again).toMatchObject({ accepted: 3, refused: 0 });
    expect(await countSends(sender.accountId)).toBe(3);
  });

  test("POST /send with the key of a mail and its fields, defaults included, is a repeat of it", async () => {
    const sender = await aSender();
    const { verdicts } = await batch(sender, [{ subject: "Own" }], "k");
    const repeat = await send(sender, { subject: "Own", idempotency_key: "k/0" });
    expect(repeat.json()).toEqual({ ...verdicts[0].send, idempotent: true });
  });

  test("two equal keys in one batch are a repeat, or 409 for the mail with another payload", async () => {
    const sender = await aSender();
    const mails = [{}, {}, { subject: "Other" }].map((mail) => ({ ...mail, idempotency_key: "same" }));
    const { verdicts, ...counts } = await batch(sender, mails);
    expect(counts).toEqual({ accepted: 2, refused: 1 });
    expect(verdicts).toMatchObject([
      { status: 202, send: { idempotent: false } },
      { status: 202, send: { idempotent: true, id: verdicts[0].send.id } },
      { status: 409, error: { code: "CONFLICT", details: [{ field: "subject", code: "differs" }] } },
    ]);
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("mails without keys are never repeats", async () => {
    const sender = await aSender();
    await batch(sender, [{}, {}]);
    await batch(sender, [{}, {}]);
    expect(await countSends(sender.accountId)).toBe(4);
  });

  test("eight equal batches at the same time create each mail once, also in the opposite order", async () => {
    const sender = await aSender();
    const mails = Array.from({ length: 20 }, (_, number) => ({ subject: `${number}`, idempotency_key: `k${number}` }));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => batch(sender, number % 2 === 0 ? mails : mails.toReversed())),
    );
    expect(answers.map(({ accepted }) => accepted)).toEqual(Array(8).fill(20));
    const sends = answers.flatMap(({ verdicts }) => verdicts.map((verdict: { send: object }) => verdict.send));
    expect(sends.filter(({ idempotent }: { idempotent: boolean }) => !idempotent)).toHaveLength(20);
    expect(await countSends(sender.accountId)).toBe(20);
  });
});
