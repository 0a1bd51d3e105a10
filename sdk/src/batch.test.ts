import { expect, test } from "vitest";
import { cutConnection, refuse, respond, type Step, startScriptedServer } from "../test/scripted-server.ts";
import { Postern } from "./postern.ts";

const defaults = { from: "orders@shop.test", subject: "Your receipt", text: "Thank you." };
const mails = [{ to: ["jane@example.test"] }, { to: ["joe@example.test"], idempotency_key: "own" }];
const error = {
  code: "VALIDATION_ERROR",
  message: "mails[1].to[0] is no address.",
  details: [{ field: "mails[1].to[0]", code: "invalid", message: "is no address" }],
};
const refused = { status: 422, error };
const verdicts = [{ status: 202, send: { id: "1", status: "queued" } }, refused];
const answered = respond(202, { accepted: 1, refused: 1, verdicts });

async function aClient(...steps: Step[]) {
  const { url, requests } = await startScriptedServer(...steps);
  return { postern: new Postern({ baseUrl: url, apiKey: "postern_live_x", maxWaitSeconds: 0 }), requests };
}

function keysOf(request: { body: Record<string, unknown> | undefined } | undefined): unknown[] {
  const sent = (request?.body?.mails ?? []) as { idempotency_key: unknown }[];
  return sent.map((mail) => mail.idempotency_key);
}

test("a batch returns the verdict of each mail, and the status selects its fields", async () => {
  const { postern, requests } = await aClient(answered);
  const data = await postern.sends.batch({ defaults, mails }).orThrow();
  expect(data).toEqual({ accepted: 1, refused: 1, verdicts });
  expect(requests[0]).toMatchObject({ method: "POST", path: "/api/v1/send/batch", body: { defaults } });
  const [accepted, other] = data.verdicts;
  expect(accepted?.status === 202 && accepted.send.id).toBe("1");
  expect(other?.status !== 202 && other?.error.code).toBe("VALIDATION_ERROR");
});

test("every mail gets a key, the client keeps those of the caller, and all attempts send the same bytes", async () => {
  const { postern, requests } = await aClient(cutConnection, refuse(503, "UNAVAILABLE"), answered);
  expect((await postern.sends.batch({ defaults, mails })).error).toBeNull();
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(keysOf(requests[0])).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\/0$/), "own"]);
});

test("attachments of the mails and of the defaults may be bytes", async () => {
  const { postern, requests } = await aClient(answered);
  const file = (content: Uint8Array | string) => [{ filename: "a.txt", content }];
  await postern.sends.batch({
    defaults: { ...defaults, attachments: file(Buffer.from("all")) },
    mails: [{ to: ["jane@example.test"] }, { to: ["joe@example.test"], attachments: file(Buffer.from("joe")) }],
  });
  const body = requests[0]?.body as { defaults: unknown; mails: Record<string, unknown>[] } | undefined;
  expect(body?.defaults).toEqual({ ...defaults, attachments: file("YWxs") });
  expect(body?.mails.map(({ attachments }) => attachments)).toEqual([undefined, file("am9l")]);
});

test("the error of a batch contains its key, and a call with this key sends the same keys", async () => {
  const { postern, requests } = await aClient(cutConnection, answered);
  const failed = await postern.sends.batch({ defaults, mails }, { retries: 0 });
  const idempotencyKey = failed.error?.idempotencyKey;
  await postern.sends.batch({ defaults, mails }, { idempotencyKey });
  expect(keysOf(requests[1])).toEqual(keysOf(requests[0]));
  expect(keysOf(requests[0])).toEqual([`${idempotencyKey}/0`, "own"]);
});

test("a batch of which no mail was accepted returns its verdicts, and one that is not valid as a whole is an error", async () => {
  const batchRefused = {
    success: false,
    error: { code: "BATCH_REFUSED", message: "None of the 2 mails was accepted." },
  };
  const { postern } = await aClient(
    respond(422, { ...batchRefused, accepted: 0, refused: 2, verdicts: [refused, refused] }),
    refuse(422, "VALIDATION_ERROR"),
  );
  const none = await postern.sends.batch({ defaults, mails });
  expect(none.data).toEqual({ accepted: 0, refused: 2, verdicts: [refused, refused] });
  expect((await postern.sends.batch({ mails: [] })).error).toMatchObject({ code: "VALIDATION_ERROR", status: 422 });
});
