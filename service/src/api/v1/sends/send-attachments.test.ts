import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { anAttachment, testContentKeys } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";
import { readAttachments } from "../../../attachments/read-chunks.ts";
import { deletePendingAttachments, storeAttachments } from "../../../attachments/store-chunks.ts";
import { AppError } from "../../../errors.ts";
import { claimSends } from "../../../queue/claim-sends.ts";
import { openContent } from "../../../sends/content.ts";
import { newSendId } from "../../../sends/send-id.ts";

const { api, aSender, send } = useSendingApi();

const file = (text: string, more: object = {}) => ({
  filename: "note.txt",
  content: Buffer.from(text).toString("base64"),
  ...more,
});

async function problemsOf(body: Record<string, unknown>): Promise<Record<string, string>> {
  const answer = await send(await aSender(), body);
  expect(answer.status).toBe(422);
  const details: { field: string; message: string }[] = answer.json().error.details;
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

function chunksOf(id: string) {
  return change(api.database.db, "select part, number from attachment_chunks where id = $1 order by part, number", [
    id,
  ]);
}

function pendingOf(accountId: string) {
  return change(api.database.db, "select send_id from pending_attachments where account_id = $1", [accountId]);
}

describe("POST /api/v1/send with attachments", () => {
  test("stores them sealed, links them, and the worker reads the same bytes", async () => {
    const sender = await aSender();
    const bytes = randomBytes(600_000);
    const attachments = [
      { filename: "Rechnung für Jörg.pdf", content: bytes.toString("base64"), content_type: "application/pdf" },
      { filename: "logo.png", content: "", content_type: "image/png", content_id: "logo@acme" },
    ];
    const answer = await send(sender, { attachments });
    expect(answer.status).toBe(202);
    const { id } = answer.json();
    expect(await chunksOf(id)).toEqual([
      { part: 0, number: 0 },
      { part: 0, number: 1 },
      { part: 0, number: 2 },
      { part: 1, number: 0 },
    ]);
    expect(await pendingOf(sender.accountId)).toEqual([]);
    const claim = { mode: "live", maxSends: 10, maxRecipients: 100, fromFairAt: "-infinity", isProbe: false } as const;
    const claimed = (await claimSends(api.database.db, claim)).sends.find((one) => one.id === id);
    if (claimed?.sealed == null) throw new Error("the send was not claimed");
    expect(claimed.attachmentBytes).toBeGreaterThan(600_000);
    const owner = { accountId: sender.accountId, sendId: id };
    const { attachments: facts = [] } = openContent(testContentKeys, owner, claimed.sealed);
    const read = await readAttachments(api.database.db, testContentKeys, owner, facts);
    expect(read.map((one) => [one.filename, one.contentType, one.contentId, one.bytes.equals(bytes)])).toEqual([
      ["Rechnung für Jörg.pdf", "application/pdf", undefined, true],
      ["logo.png", "image/png", "logo@acme", false],
    ]);
    expect(read[1]?.bytes.length).toBe(0);
  });

  test("keeps nothing of a request that made no send", async () => {
    const sender = await aSender();
    const body = { attachments: [file("a")], idempotency_key: "receipt-1" };
    const first = await send(sender, body);
    expect((await send(sender, body)).headers["idempotent-replayed"]).toBe("true");
    expect((await send(sender, { ...body, attachments: [file("b")] })).status).toBe(409);
    expect((await send(sender, { ...body, from: "a@not-verified.io", idempotency_key: "receipt-2" })).status).toBe(400);
    const stored = () =>
      change(api.database.db, "select distinct id from attachment_chunks where id >= $1", [first.json().id]);
    await expect.poll(() => pendingOf(sender.accountId)).toEqual([]);
    await expect.poll(stored).toEqual([{ id: first.json().id }]);
  });

  test("keeps nothing of a batch that is refused with 503 because a later mail of it cannot be stored", async () => {
    const sender = await aSender();
    const { attachments } = api.deps.acceptDeps;
    const store = attachments.store.bind(attachments);
    const storing = vi.spyOn(attachments, "store").mockImplementation((owner, files) => {
      if (storing.mock.calls.length < 3) return store(owner, files);
      throw new AppError("UNAVAILABLE", "Too many mails with attachments wait.", { retryAfterSeconds: 2 });
    });
    onTestFinished(() => storing.mockRestore());
    const mails = [{}, { idempotency_key: "k" }, {}, {}].map((own) => ({ ...own, attachments: [file("a")] }));
    const body = { defaults: { from: sender.from, to: ["jane@example.io"], subject: "Hi", text: "Hi" }, mails };
    const answer = await api.call({ method: "POST", path: "/api/v1/send/batch", key: sender.key, body });
    expect(answer.status).toBe(503);
    const stored = storing.mock.calls.map(([{ sendId }]) => sendId);
    await expect.poll(() => pendingOf(sender.accountId)).toEqual([]);
    expect(await change(api.database.db, "select id from attachment_chunks where id = any ($1)", [stored])).toEqual([]);
  });

  test("never waits for an accept statement that is deciding about them: it leaves them, and deletes them when that made no send", async () => {
    const { accountId } = await aSender();
    const { db } = api.database;
    const sendId = newSendId(Date.now());
    await storeAttachments(db, testContentKeys.current, { accountId, sendId }, [anAttachment(Buffer.from("a"))]);
    await db.withTransaction(async (tx) => {
      await tx.query({
        name: "lock-one-pending",
        text: "select from pending_attachments where send_id = $1 for update",
        values: [sendId],
      });
      await deletePendingAttachments(db, accountId, [sendId]);
    });
    expect(await chunksOf(sendId)).toHaveLength(1);
    await deletePendingAttachments(db, accountId, [sendId]);
    expect([await chunksOf(sendId), await pendingOf(accountId)]).toEqual([[], []]);
  });

  test.for([
    ["before the statement ran", false, undefined],
    ["and nobody knows whether the statement ran", false, new Error("reset")],
    ["after its commit, which linked them", true, new Error("reset")],
  ] as const)("when the decision fails %s, keeps only what is linked", async ([, isCommitted, cause]) => {
    const sender = await aSender();
    const { acceptDeps } = api.deps;
    const { decide, db } = acceptDeps;
    const deciding = vi.spyOn(acceptDeps, "decide").mockImplementation(async (candidates) => {
      if (isCommitted) await decide(candidates);
      throw new AppError("UNAVAILABLE", "The server is busy.", { retryAfterSeconds: 1, cause });
    });
    // The send is not found either: the outcome stays unknown to this process.
    const query = db.query.bind(db);
    const finding = vi.spyOn(db, "query").mockImplementation((statement) => {
      if (statement.name !== "find-accepted-sends") return query(statement);
      throw new AppError("UNAVAILABLE", "No connection.", { cause });
    });
    const response = await send(sender, { attachments: [file("a")] }).finally(() => {
      finding.mockRestore();
      deciding.mockRestore();
    });
    expect(response.status).toBe(503);
    await expect.poll(() => pendingOf(sender.accountId)).toEqual([]);
    const linked =
      "select count(*)::integer as chunks from attachment_chunks where id in (select id from sends where account_id = $1)";
    expect(await change(api.database.db, linked, [sender.accountId])).toEqual([{ chunks: isCommitted ? 1 : 0 }]);
  });

  test.for([
    ["a chunk", "delete from attachment_chunks where id = $1 and number = 0"],
    ["the pending row", "delete from pending_attachments where send_id = $1"],
  ] as const)("is not accepted without %s, and a repeat still gets its first answer", async ([, statement]) => {
    const sender = await aSender();
    const body = { attachments: [file("a")], idempotency_key: "receipt-3" };
    const first = (await send(sender, body)).json().id;
    const { attachments } = api.deps.acceptDeps;
    const store = vi.spyOn(attachments, "store").mockImplementation(async (owner) => {
      const stored = await storeAttachments(api.database.db, testContentKeys.current, owner, [
        anAttachment(Buffer.from("a")),
      ]);
      await change(api.database.db, statement, [owner.sendId]);
      return stored;
    });
    onTestFinished(() => store.mockRestore());
    const refused = await send(sender, { ...body, idempotency_key: "receipt-4" });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect((await send(sender, body)).json()).toMatchObject({ id: first, idempotent: true });
    expect(await change(api.database.db, "select id from sends where account_id = $1", [sender.accountId])).toEqual([
      { id: first },
    ]);
  });

  test("counts them as content of the account", async () => {
    const sender = await aSender();
    await send(sender, { attachments: [file("x".repeat(50_000))] });
    const text = "select sum(content_bytes)::integer as bytes from usage_deltas where account_id = $1";
    const [row] = await change(api.database.db, text, [sender.accountId]);
    expect(row?.bytes).toBeGreaterThan(50_000);
  });

  test("is the same request however the files were encoded, and another one with other bytes, names, types or order", async () => {
    const sender = await aSender();
    const two = [file("a"), file("b", { filename: "b.txt", content_type: "text/plain" })];
    const body = (attachments: object[] | null) => ({ attachments, idempotency_key: "same" });
    const first = (await send(sender, body(two))).json().id;
    expect((await send(sender, body(two.map((one) => ({ ...one, content_id: null }))))).json().id).toBe(first);
    for (const other of [[two[1], two[0]], [two[0]], [two[0], { ...two[1], filename: "c.txt" }], [], null]) {
      const answer = await send(sender, body(other as object[] | null));
      expect(answer.status).toBe(409);
      expect(answer.json().error.details).toMatchObject([{ field: "attachments" }]);
    }
  });

  test("with an empty list equals a request without", async () => {
    const sender = await aSender();
    const first = (await send(sender, { idempotency_key: "none" })).json().id;
    expect((await send(sender, { idempotency_key: "none", attachments: [] })).json().id).toBe(first);
    expect((await send(sender, { idempotency_key: "none", attachments: null })).json().id).toBe(first);
  });

  test("is validated like a send, and stores nothing", async () => {
    const sender = await aSender();
    const validate = (attachments: object[]) =>
      api.call({
        method: "POST",
        path: "/api/v1/send/validate",
        key: sender.key,
        body: { from: sender.from, to: ["jane@example.io"], subject: "Hi", text: "Hi", attachments },
      });
    expect((await validate([file("a")])).json()).toMatchObject({ valid: true });
    expect((await validate([{ filename: "a.exe", content: "!" }])).json()).toMatchObject({ valid: false });
    expect(await pendingOf(sender.accountId)).toEqual([]);
  });
});

describe("POST /api/v1/send refuses", () => {
  test("every problem of every attachment at once", async () => {
    const problems = await problemsOf({
      attachments: [
        { filename: "../../etc/passwd", content: "not base64!", content_type: "text" },
        { filename: "invoice\u202Efdp.exe", content: "YQ==", content_id: "<logo>" },
        { filename: "a.EXE. ", content: "YQ" },
        { filename: "x\r\nBcc: eve@example.io", content: "YQ==", content_type: "multipart/mixed" },
        { filename: "ok.txt", content: "YQ==", content_type: "text/plain; charset=utf-8\r\nX-A: b", extra: 1 },
      ],
    });
    expect(Object.keys(problems).toSorted((one, other) => one.localeCompare(other))).toEqual([
      "attachments[0].content",
      "attachments[0].content_type",
      "attachments[0].filename",
      "attachments[1].content_id",
      "attachments[1].filename",
      "attachments[2].content",
      "attachments[2].filename",
      "attachments[3].content_type",
      "attachments[3].filename",
      "attachments[4].content_type",
      "attachments[4].extra",
    ]);
  });

  test("a content_id that is there twice", async () => {
    const image = file("a", { content_id: "logo" });
    expect(await problemsOf({ attachments: [image, image] })).toEqual({
      "attachments[1].content_id": "is there twice",
    });
    const unnamed = { ...image, filename: "" };
    expect(Object.keys(await problemsOf({ attachments: [unnamed, image] })).toSorted()).toEqual([
      "attachments[0].filename",
      "attachments[1].content_id",
    ]);
  });

  test.for(["YQ=", "Y Q==", "YQ==\n", "__8=", "=YQ=", "YQ==YQ=="])("the base64 %j", async (content) => {
    expect(Object.keys(await problemsOf({ attachments: [{ filename: "a.txt", content }] }))).toEqual([
      "attachments[0].content",
    ]);
  });

  test("more bytes than this installation allows, decoded", async () => {
    const half = { filename: "a.bin", content: Buffer.alloc(5 * 1024 * 1024 + 1).toString("base64") };
    expect((await problemsOf({ attachments: [half, half] })).attachments).toContain(
      "this installation allows 10485760",
    );
  });

  test("more than 50 files", async () => {
    const attachments = Array.from({ length: 51 }, () => file("a"));
    expect(Object.keys(await problemsOf({ attachments }))).toEqual(["attachments"]);
  });

  test("413: more than 8 MiB next to the attachments", async () => {
    const body = { attachments: [file("a")], text: "x".repeat(8 * 1024 * 1024) };
    expect((await send(await aSender(), body)).status).toBe(413);
  });
});
