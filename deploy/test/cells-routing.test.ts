import { createHash, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as secureRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { selfSignedCertificate } from "../../ses-simulator/src/sns/certificate.ts";
import { expectShape } from "./expect-shape.ts";
import type { ProxyRequest } from "./proxy-client.ts";
import { isHaproxyInstalled, startHaproxy } from "./start-haproxy.ts";
import { accessToken, cellOf, codes, key, refreshToken, useTwoCells } from "./use-two-cells.ts";

describe.skipIf(!isHaproxyInstalled())("deploy/cells/haproxy.cfg with healthy cells", () => {
  const { send, settings } = useTwoCells();

  describe("routes to cell", () => {
    test.for([
      ["AA", "live"],
      ["AA", "test"],
      ["AB", "live"],
      ["AB", "test"],
    ] as const)("%s for its %s keys", async ([code, type]) => {
      for (let times = 0; times < 5; times++) {
        const response = await send({ method: "POST", path: "/api/v1/send", headers: key(code, type), body: "{}" });
        expect(cellOf(response)).toBe(code);
      }
    });

    test.for(codes)("%s for its access tokens", async (code) => {
      const authorization = `Bearer ${await accessToken(code)}`;
      for (const path of ["/api/v1/domains", "/api/v1/auth/logout", "/api/v1/sends?limit=3"]) {
        expect(cellOf(await send({ path, headers: { authorization } }))).toBe(code);
      }
      expect(cellOf(await send({ headers: { authorization: `bearer   ${await accessToken(code)}` } }))).toBe(code);
    });

    test.for(codes)("%s for its refresh tokens in the body", async (code) => {
      const refresh_token = refreshToken(code);
      for (let times = 0; times < 5; times++) {
        const response = await send({
          method: "POST",
          path: "/api/v1/auth/refresh",
          body: JSON.stringify({ refresh_token }),
        });
        expect(cellOf(response)).toBe(code);
      }
    });

    test("of the key when sending and of the token elsewhere, when a request has both", async () => {
      const headers = { ...key("AA"), authorization: `Bearer ${await accessToken("AB")}` };
      expect(cellOf(await send({ method: "POST", path: "/api/v1/send", headers, body: "{}" }))).toBe("AA");
      expect(cellOf(await send({ path: "/api/v1/account", headers }))).toBe("AA");
      expect(cellOf(await send({ path: `/api/v1/send/${randomUUID()}/status`, headers }))).toBe("AA");
      expect(cellOf(await send({ path: "/api/v1/domains", headers }))).toBe("AB");
      expect(cellOf(await send({ path: "/api/v1/suppression", headers }))).toBe("AB");
    });

    test("of an API key in either header, and of the one that counts when both have one", async () => {
      const authorization = `Bearer ${key("AB")["x-api-key"]}`;
      expect(cellOf(await send({ path: "/api/v1/domains", headers: key("AB") }))).toBe("AB");
      expect(cellOf(await send({ headers: { authorization } }))).toBe("AB");
      const both = { ...key("AA"), authorization };
      expect(cellOf(await send({ path: "/api/v1/usage", headers: both }))).toBe("AA");
      expect(cellOf(await send({ path: "/api/v1/domains", headers: both }))).toBe("AB");
    });

    test.for(codes)("%s at its own host name, whatever the credential", async (code) => {
      const host = `${code}.mail.acme.io:8443`;
      for (const path of [
        "/api/v1/auth/login",
        "/api/v1/auth/oidc/start",
        "/api/v1/feedback/ses",
        "/.well-known/jwks.json",
      ]) {
        expect(cellOf(await send({ method: "POST", path, host }))).toBe(code);
      }
      expect(cellOf(await send({ host, headers: key(code === "AA" ? "AB" : "AA") }))).toBe(code);
    });

    test("AB for a forged token that names it: the cell verifies the token, not the proxy", async () => {
      const [head, , signature] = (await accessToken("AA")).split(".");
      const claims = Buffer.from(JSON.stringify({ cell: "AB" })).toString("base64url");
      const headers = { authorization: `Bearer ${head}.${claims}.${signature}` };
      expect(cellOf(await send({ path: "/api/v1/domains", headers }))).toBe("AB");
    });
  });

  test.for([
    ["no credential", {}],
    ["a key of an unknown cell", { headers: key("ZZ") }],
    ["a token of an unknown cell", { headers: { authorization: `Bearer a.${claimsOf({ cell: "ZZ" })}.b` } }],
    ["a token whose cell is not a string", { headers: { authorization: `Bearer a.${claimsOf({ cell: ["AA"] })}.b` } }],
    ["a token without a cell", { headers: { authorization: `Bearer a.${claimsOf({})}.b` } }],
    ["a truncated token", { headers: { authorization: "Bearer eyJ" } }],
    ["the beginning of a key", { headers: { "x-api-key": "postern_live_A" } }],
    ["a key with a lower-case cell code", { headers: key("aa") }],
    ["a refresh body that is not JSON", { method: "POST", path: "/api/v1/auth/refresh", body: "{refresh_token" }],
    ["a refresh body that is not an object", { method: "POST", path: "/api/v1/auth/refresh", body: "7" }],
    ["an unknown path", { path: "/nothing" }],
  ] satisfies [string, ProxyRequest][])(
    "a request with %s is answered by any cell, never by the proxy",
    async ([, request]) => {
      const responses = await Promise.all(Array.from({ length: 8 }, () => send(request)));
      expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(new Set(responses.map(cellOf)).size).toBe(2);
    },
  );

  test.for([
    "/api/v1/auth/login",
    "/api/v1/auth/methods",
    "/api/v1/auth/oidc/start",
    "/api/v1/feedback/ses",
    "/.well-known/jwks.json",
  ])("%s belongs to one cell, so the common host name answers 404 with a hint", async (path) => {
    const response = await send({ method: "POST", path, headers: { "x-request-id": "mine-7" }, body: "{}" });
    expect(response.status).toBe(404);
    expectShape(response, "NOT_FOUND");
    expect(response.headers["x-request-id"]).toBe("mine-7");
  });

  test.for([
    ["/api/v1/auth/refresh", '{"browser":true}'],
    ["/api/v1/auth/refresh", '{"session_id":"0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", "browser": true}'],
    ["/api/v1/auth/password-reset", '{"email":"ada@example.com"}'],
    ["/api/v1/auth/password-reset/confirm", "{}"],
    ["/api/v1/auth/invitations/accept", "{}"],
  ] as const)(
    "%s with %s names no cell: 404 with a hint at the common host name, and served at that of a cell",
    async ([path, body]) => {
      const response = await send({ method: "POST", path, body });
      expect(response.status).toBe(404);
      expectShape(response, "NOT_FOUND");
      expect(cellOf(await send({ method: "POST", path, body, host: "AB.mail.acme.io" }))).toBe("AB");
    },
  );

  test("a body of 8 MiB arrives complete", async () => {
    const body = randomBytes(8 * 1024 * 1024);
    const response = await send({ method: "POST", path: "/api/v1/send", headers: key("AB"), body });
    const sha256 = createHash("sha256").update(body).digest("hex");
    expect(JSON.parse(response.text)).toMatchObject({ name: expect.stringMatching("AB"), bytes: body.length, sha256 });
  });

  test("a valid request id of the caller is kept and an invalid one is replaced, in request and response", async () => {
    const kept = await send({ headers: { ...key("AA"), "x-request-id": "order.7_A-b" } });
    expect(JSON.parse(kept.text)).toMatchObject({ requestId: "order.7_A-b" });
    expect(kept.headers["x-request-id"]).toBe("order.7_A-b");
    const replaced = await send({ headers: { ...key("AA"), "x-request-id": 'a"b' } });
    expect(replaced.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(replaced.text)).toMatchObject({ requestId: replaced.headers["x-request-id"] });
  });

  test("the proxy replaces X-Forwarded-For of the client", async () => {
    const response = await send({ headers: { ...key("AA"), "x-forwarded-for": "203.0.113.9" } });
    expect(JSON.parse(response.text)).toMatchObject({ client: "127.0.0.1" });
  });

  test("the proxy serves TLS when it has certificates", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postern-cells-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const certificate = selfSignedCertificate(privateKey, "mail.acme.io", new Date());
    const file = join(folder, "mail.acme.io.pem");
    writeFileSync(file, certificate + privateKey.export({ type: "pkcs8", format: "pem" }));
    const secure = await startHaproxy({ ...settings, TLS_CERTIFICATES: file });
    onTestFinished(() => secure.stop());
    const options = { host: "127.0.0.1", port: secure.port, agent: false, ca: certificate, headers: key("AB") };
    const outgoing = secureRequest({ ...options, servername: "mail.acme.io" }).end();
    const [response] = await once(outgoing, "response");
    expect(JSON.parse(await text(response))).toMatchObject({ name: expect.stringMatching(/^AB/) });
  });
});

function claimsOf(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString("base64url");
}
