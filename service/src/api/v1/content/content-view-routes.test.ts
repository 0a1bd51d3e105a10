import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { anAttachment, aQueuedSend } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { maxViewsPerLogin } from "../../../content-views/content-view-store.ts";
import { deleteExpiredViews } from "../../../storage/old-content-views.ts";

const api = useTestApi();

async function aReader(role: "owner" | "developer" | "viewer" = "developer") {
  const login = await aLogin(api.database.db, api.deps.loginDeps, { role });
  const id = await aQueuedSend(api.database.db, { accountId: login.accountId, html: "<p>Your order</p>" });
  return { ...login, token: login.accessToken, userId: login.id, id };
}

function requestView(id: string, credential: { token?: string; key?: string }, body: object = {}) {
  return api.call({ method: "POST", path: `/api/v1/send/${id}/content/view`, body, ...credential });
}

async function aView(reader: { id: string; token: string }, body: object = {}): Promise<string> {
  const answer = await requestView(reader.id, reader, body);
  expect(answer.status).toBe(201);
  return answer.json().url;
}

function open(path: string) {
  return api.call({ method: "GET", path, remoteAddress: "203.0.113.7" });
}

function viewsOf(loginId: string) {
  return change(api.database.db, "select * from content_views where login_id = $1", [loginId]);
}

describe("POST /api/v1/send/:id/content/view returns 201", () => {
  test.for(["developer", "owner"] as const)("with a path of this cell that lives a minute, to a %s", async (role) => {
    const reader = await aReader(role);
    const { url, expires_at, has_attachments } = (await requestView(reader.id, reader)).json();
    expect(has_attachments).toBe(false);
    expect(url).toMatch(/^\/api\/v1\/content-views\/AA[A-Za-z0-9_-]{43}$/);
    const seconds = (Date.parse(expires_at) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThan(70);
    expect(await auditRows(api.database.db, reader.accountId, "content.read")).toEqual([]);
  });

  test("and says whether the mail has attachments", async () => {
    const reader = await aReader();
    const attachments = [anAttachment(Buffer.from("a"))];
    const id = await aQueuedSend(api.database.db, { accountId: reader.accountId, attachments });
    expect((await requestView(id, reader)).json().has_attachments).toBe(true);
  });

  test("and stores the token as a hash only", async () => {
    const reader = await aReader();
    const token = (await aView(reader)).split("/").at(-1) ?? "";
    expect(JSON.stringify(await viewsOf(reader.loginId))).not.toContain(token);
    expect(api.logLines.join("")).not.toContain(token);
  });

  test("and replaces the oldest view of a login that has 20 already, and of no other login", async () => {
    const reader = await aReader();
    const other = await aReader();
    const theirs = await aView(other);
    const views = [];
    for (let number = 0; number < maxViewsPerLogin + 5; number++) views.push(await aView(reader));
    expect(await viewsOf(reader.loginId)).toHaveLength(maxViewsPerLogin);
    const statuses = [];
    for (const path of views) statuses.push((await open(path)).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(statuses.slice(5).every((status) => status === 200)).toBe(true);
    expect((await open(theirs)).status).toBe(200);
  });

  test("40 times at once without a failure, and the rows stay bounded", async () => {
    const reader = await aReader();
    const answers = await Promise.all(Array.from({ length: 40 }, () => requestView(reader.id, reader)));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201));
    await aView(reader);
    expect((await viewsOf(reader.loginId)).length).toBeLessThanOrEqual(maxViewsPerLogin);
  });
});

describe("POST /api/v1/send/:id/content/view refuses", () => {
  test("401: a request without a credential, and an API key even with the scope read", async () => {
    const { id, accountId } = await aReader();
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { scopes: ["read"] });
    expect((await requestView(id, {})).status).toBe(401);
    expect((await requestView(id, { key })).status).toBe(401);
  });

  test("403: a viewer", async () => {
    const reader = await aReader("viewer");
    expect((await requestView(reader.id, reader)).status).toBe(403);
  });

  test("404: an unknown or malformed id and a send of another account", async () => {
    const [reader, other] = [await aReader(), await aReader()];
    for (const id of [randomUUID(), "not-an-id", other.id]) {
      expect((await requestView(id, reader)).status).toBe(404);
    }
    expect(await viewsOf(reader.loginId)).toEqual([]);
  });

  test("410: a send whose content is deleted", async () => {
    const reader = await aReader();
    const id = await aQueuedSend(api.database.db, { accountId: reader.accountId, hasContent: false });
    expect((await requestView(id, reader)).status).toBe(410);
  });

  test("415 and 422: a body that is not JSON, a wrong type and an unknown field", async () => {
    const { id, token } = await aReader();
    const path = `/api/v1/send/${id}/content/view`;
    const headers = { "content-type": "text/plain" };
    expect((await api.call({ method: "POST", path, token, headers, rawBody: "{}" })).status).toBe(415);
    expect((await requestView(id, { token }, { images: "yes" })).status).toBe(422);
    expect((await requestView(id, { token }, { image: true })).status).toBe(422);
    expect((await api.call({ method: "POST", path, token, body: { images: "x".repeat(70_000) } })).status).toBe(413);
  });
});

describe("GET /api/v1/content-views/:token returns 200", () => {
  test("with the HTML of the mail, links that open a window, and headers that permit nothing", async () => {
    const answer = await open(await aView(await aReader()));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('<!doctype html><meta charset="utf-8"><base target="_blank"><p>Your order</p>');
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "x-dns-prefetch-control": "off",
    });
    expect(answer.headers["cross-origin-opener-policy"]).toBeUndefined();
  });

  test("without tags that make a browser connect to a host", async () => {
    const reader = await aReader();
    const html =
      "<IFRAME src=https://a.test></iframe><frameset><frame src=x><object><embed><link rel=preconnect> 1 < 2";
    const id = await aQueuedSend(api.database.db, { accountId: reader.accountId, html });
    const answer = await open(await aView({ ...reader, id }));
    expect(answer.text).toContain(
      "<x-IFRAME src=https://a.test></iframe><x-frameset><x-frame src=x><x-object><x-embed><x-link rel=preconnect> 1 < 2",
    );
  });

  test("with the images of the mail, and no other attachments, remote images or broken-out markup", async () => {
    const reader = await aReader();
    const image = (contentId: string, contentType: string) =>
      anAttachment(Buffer.from(contentId), { filename: "a", contentType, contentId });
    const attachments = [
      image("logo@acme", "image/png"),
      image("photo", "image/JPEG; x=y"),
      image("drawing", "image/svg+xml"),
      image("page", "text/html"),
    ];
    const html =
      '<img src="cid:logo%40acme"><p style="background: url(cid:photo)">cid:photo</p><img src=cid:drawing><img src="cid:page"><img src="cid:none">';
    const id = await aQueuedSend(api.database.db, { accountId: reader.accountId, html, attachments });
    const { text } = await open(await aView({ ...reader, id }));
    expect(text).toContain(
      '<img src="data:image/png;base64,bG9nb0BhY21l"><p style="background: url(data:image/jpeg;base64,cGhvdG8=)">cid:photo</p>' +
        '<img src=cid:drawing><img src="cid:page"><img src="cid:none">',
    );
  });

  test("with at most 2 MiB of its own images, however often the HTML names them", async () => {
    const reader = await aReader();
    const half = anAttachment(randomBytes(1024 * 1024), { contentType: "image/png", contentId: "half" });
    const small = anAttachment(Buffer.from("a"), { contentType: "image/png", contentId: "small" });
    const view = async (html: string) => {
      const options = { accountId: reader.accountId, html, attachments: [half, small] };
      const id = await aQueuedSend(api.database.db, options);
      return (await open(await aView({ ...reader, id }))).text.match(/data:image/g)?.length;
    };
    expect(await view('<img src="cid:half">'.repeat(2))).toBe(2);
    expect(await view(`${'<img src="cid:half">'.repeat(3)}<img src="cid:small">`)).toBe(1);
  });

  test("also when the chunks of an image are deleted in this moment", async () => {
    const reader = await aReader();
    const attachments = [anAttachment(Buffer.from("a"), { contentType: "image/png", contentId: "logo" })];
    const id = await aQueuedSend(api.database.db, {
      accountId: reader.accountId,
      html: "<img src=cid:logo>",
      attachments,
    });
    const path = await aView({ ...reader, id });
    await change(api.database.db, "delete from attachment_chunks where id = $1", [id]);
    expect((await open(path)).text).toContain("<img src=cid:logo>");
  });

  test("with https images if the request asked for them", async () => {
    const answer = await open(await aView(await aReader(), { images: true }));
    expect(answer.headers["content-security-policy"]).toContain("; img-src data: https:; ");
  });

  test("with the text of a mail without HTML, escaped", async () => {
    const reader = await aReader();
    const text = '</pre><script>alert("1")</script> & more';
    const id = await aQueuedSend(api.database.db, { accountId: reader.accountId, text });
    const answer = await open(await aView({ ...reader, id }));
    expect(answer.text).toContain("&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more</pre>");
  });

  test("and leaves one entry with the user of the login and the address that opened it", async () => {
    const reader = await aReader();
    const { headers } = await open(await aView(reader, { images: true }));
    expect(await auditRows(api.database.db, reader.accountId, "content.read")).toMatchObject([
      {
        actor_kind: "user",
        actor_id: reader.userId,
        actor_name: reader.email,
        target_id: reader.id,
        after: { images: true },
        address: "203.0.113.7",
        request_id: headers["x-request-id"],
      },
    ]);
  });
});

describe("GET /api/v1/content-views/:token returns 404", () => {
  test("the second time", async () => {
    const path = await aView(await aReader());
    expect([(await open(path)).status, (await open(path)).status]).toEqual([200, 404]);
  });

  test("to all but one of 8 requests at once, with one entry", async () => {
    const reader = await aReader();
    const path = await aView(reader);
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(path)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(404)]);
    expect(await auditRows(api.database.db, reader.accountId, "content.read")).toHaveLength(1);
  });

  test.for([
    ["after it expired", "update content_views set expires_at = now() where login_id = $1"],
    ["after the login ended", "delete from logins where id = $1"],
    ["after the login expired", "update logins set expires_at = now() where id = $1"],
    [
      "after the user became a viewer",
      "update memberships set role = 'viewer' where user_id = (select user_id from logins where id = $1)",
    ],
    [
      "after the user was removed",
      "delete from memberships where user_id = (select user_id from logins where id = $1)",
    ],
    [
      "after the account was suspended",
      "update accounts set suspended_at = now() where id = (select account_id from logins where id = $1)",
    ],
    [
      "after the account required TOTP, which the user does not have",
      "update accounts set totp_required = true where id = (select account_id from logins where id = $1)",
    ],
    ["for a send of another account", "update content_views set account_id = gen_random_uuid() where login_id = $1"],
  ] as const)("%s, without an entry, and uses the view up", async ([, statement]) => {
    const reader = await aReader();
    // The account keeps an owner.
    await aLogin(api.database.db, api.deps.loginDeps, { accountId: reader.accountId });
    const path = await aView(reader);
    await change(api.database.db, statement, [reader.loginId]);
    const answer = await open(path);
    expect([answer.status, answer.json().error.code]).toEqual([404, "NOT_FOUND"]);
    expect(await auditRows(api.database.db, reader.accountId, "content.read")).toEqual([]);
    expect(await viewsOf(reader.loginId)).toEqual([]);
  });

  test("for a token that was never issued, of another cell, or malformed", async () => {
    const path = await aView(await aReader());
    const token = path.split("/").at(-1) ?? "";
    for (const wrong of [`AA${"x".repeat(43)}`, `BB${token.slice(2)}`, "x", `${token}x`, "%00", "a".repeat(1000)]) {
      expect((await open(`/api/v1/content-views/${wrong}`)).status).toBe(404);
    }
    expect((await open(path)).status).toBe(200);
  });
});

test("GET /api/v1/content-views/:token returns 410 when the content was deleted meanwhile", async () => {
  const reader = await aReader();
  const path = await aView(reader);
  await change(api.database.db, "delete from send_contents where id = $1", [reader.id]);
  expect((await open(path)).status).toBe(410);
  expect(await auditRows(api.database.db, reader.accountId, "content.read")).toEqual([]);
});

test("HEAD returns 405 and does not use the view up", async () => {
  const path = await aView(await aReader());
  expect((await api.call({ method: "HEAD", path })).status).toBe(405);
  expect((await open(path)).status).toBe(200);
});

test("a chore deletes expired views and no others", async () => {
  const [reader, other] = [await aReader(), await aReader()];
  for (const each of [reader, reader, other]) await aView(each);
  await change(api.database.db, "update content_views set expires_at = now() where login_id = $1", [reader.loginId]);
  expect(await deleteExpiredViews(api.database.db, 1)).toBe(1);
  while ((await deleteExpiredViews(api.database.db, 100)) > 0);
  expect([await viewsOf(reader.loginId), (await viewsOf(other.loginId)).length]).toEqual([[], 1]);
});
