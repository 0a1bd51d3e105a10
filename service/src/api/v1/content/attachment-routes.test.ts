import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { anAttachment, aQueuedSend } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();

const bytes = randomBytes(300_000);
const page = anAttachment(Buffer.from("<script>alert(1)</script>"), {
  filename: 'Rechnung "März".html',
  contentType: "text/html",
  contentId: "page",
});

async function aSendWithFiles(role: "developer" | "owner" | "viewer" = "developer") {
  const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps, { role });
  const id = await aQueuedSend(api.database.db, { accountId, attachments: [anAttachment(bytes), page] });
  return { accountId, token, id };
}

function download(id: string, number: number | string, credential: { token?: string; key?: string }) {
  return api.app.inject({
    method: "GET",
    url: `/api/v1/send/${id}/content/attachments/${number}`,
    headers: {
      ...(credential.token !== undefined && { authorization: `Bearer ${credential.token}` }),
      ...(credential.key !== undefined && { "x-api-key": credential.key }),
    },
  });
}

describe("GET /api/v1/send/:id/content/attachments/:number", () => {
  test("the content lists the files, each with the path of its bytes", async () => {
    const { id, token } = await aSendWithFiles();
    const content = (await api.call({ method: "GET", path: `/api/v1/send/${id}/content`, token })).json();
    expect(content.attachments).toMatchObject([
      { filename: "note.txt", content_type: "text/plain", content_id: null, size: 300_000 },
      { filename: 'Rechnung "März".html', content_id: "page", url: `/api/v1/send/${id}/content/attachments/1` },
    ]);
    expect((await download(id, 0, { token })).rawPayload.equals(bytes)).toBe(true);
  });

  test("no browser shows a file on this origin", async () => {
    const { id, token } = await aSendWithFiles();
    const { statusCode, headers, body } = await download(id, 1, { token });
    expect([statusCode, body]).toEqual([200, "<script>alert(1)</script>"]);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition":
        "attachment; filename=\"Rechnung _M_rz_.html\"; filename*=UTF-8''Rechnung%20%22M%C3%A4rz%22.html",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-length": "25",
    });
  });

  test("every download leaves an entry that names the file by its number", async () => {
    const { id, token, accountId } = await aSendWithFiles();
    await download(id, 1, { token });
    expect(await auditRows(api.database.db, accountId, "content.read")).toMatchObject([
      { target_id: id, after: { attachment: 1 } },
    ]);
  });

  test("a key with the scope read may download, one without may not", async () => {
    const { id, accountId } = await aSendWithFiles();
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { scopes: ["read"] });
    const other = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { scopes: ["send"] });
    expect((await download(id, 0, { key })).statusCode).toBe(200);
    expect((await download(id, 0, { key: other.key })).statusCode).toBe(401);
  });

  test("404: an unknown number, send or account", async () => {
    const [{ id, token }, other] = [await aSendWithFiles(), await aSendWithFiles()];
    for (const [send, number] of [
      [id, 2],
      [id, "x"],
      [id, -1],
      [other.id, 0],
      [randomUUID(), 0],
      ["x", 0],
    ] as const) {
      expect((await download(send, number, { token })).statusCode).toBe(404);
    }
  });

  test("401 without a credential, 403 to a viewer, 410 once the content is deleted", async () => {
    const viewer = await aSendWithFiles("viewer");
    expect((await download(viewer.id, 0, {})).statusCode).toBe(401);
    expect((await download(viewer.id, 0, viewer)).statusCode).toBe(403);
    const { id, token } = await aSendWithFiles();
    await change(api.database.db, "delete from send_contents where id = $1", [id]);
    expect((await download(id, 0, { token })).statusCode).toBe(410);
  });
});
