import { createHash, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as secureRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { selfSignedCertificate } from "../../ses-simulator/src/sns/certificate.ts";
import type { Question } from "./ask-proxy.ts";
import { expectShape } from "./expect-shape.ts";
import { isHaproxyHere, startHaproxy } from "./start-haproxy.ts";
import { accessToken, cellOf, codes, key, refreshToken, useTwoCells } from "./use-two-cells.ts";

describe.skipIf(!isHaproxyHere())("deploy/cells/haproxy.cfg, when all is well,", () => {
  const { asked, settings } = useTwoCells();

  describe("chooses the cell", () => {
    test.for([
      ["AA", "live"],
      ["AA", "test"],
      ["AB", "live"],
      ["AB", "test"],
    ] as const)("%s for its %s keys", async ([code, type]) => {
      for (let times = 0; times < 5; times++) {
        const answer = await asked({ method: "POST", path: "/api/v1/send", headers: key(code, type), body: "{}" });
        expect(cellOf(answer)).toBe(code);
      }
    });

    test.for(codes)("%s for its access tokens", async (code) => {
      const authorization = `Bearer ${await accessToken(code)}`;
      for (const path of ["/api/v1/domains", "/api/v1/auth/logout", "/api/v1/sends?limit=3"]) {
        expect(cellOf(await asked({ path, headers: { authorization } }))).toBe(code);
      }
      expect(cellOf(await asked({ headers: { authorization: `bearer   ${await accessToken(code)}` } }))).toBe(code);
    });

    test.for(codes)("%s for its refresh tokens, which stand in the body", async (code) => {
      const refresh_token = refreshToken(code);
      for (let times = 0; times < 5; times++) {
        const answer = await asked({
          method: "POST",
          path: "/api/v1/auth/refresh",
          body: JSON.stringify({ refresh_token }),
        });
        expect(cellOf(answer)).toBe(code);
      }
    });

    test("of the key when sending and of the token elsewhere, where both are given", async () => {
      const headers = { ...key("AA"), authorization: `Bearer ${await accessToken("AB")}` };
      expect(cellOf(await asked({ method: "POST", path: "/api/v1/send", headers, body: "{}" }))).toBe("AA");
      expect(cellOf(await asked({ path: "/api/v1/account", headers }))).toBe("AA");
      expect(cellOf(await asked({ path: `/api/v1/send/${randomUUID()}/status`, headers }))).toBe("AA");
      expect(cellOf(await asked({ path: "/api/v1/domains", headers }))).toBe("AB");
      expect(cellOf(await asked({ path: "/api/v1/suppression", headers }))).toBe("AB");
    });

    test("of a credential in the wrong place, so that its own cell says what is wrong", async () => {
      expect(cellOf(await asked({ path: "/api/v1/domains", headers: key("AB") }))).toBe("AB");
      expect(cellOf(await asked({ headers: { authorization: `Bearer ${key("AB")["x-api-key"]}` } }))).toBe("AB");
    });

    test.for(codes)("%s at its own host name, whatever the credential", async (code) => {
      const host = `${code}.mail.acme.io:8443`;
      for (const path of ["/api/v1/auth/login", "/api/v1/feedback/ses", "/.well-known/jwks.json"]) {
        expect(cellOf(await asked({ method: "POST", path, host }))).toBe(code);
      }
      expect(cellOf(await asked({ host, headers: key(code === "AA" ? "AB" : "AA") }))).toBe(code);
    });

    test("and leaves judging to it: a forged token goes where it claims to belong", async () => {
      const [head, , signature] = (await accessToken("AA")).split(".");
      const claims = Buffer.from(JSON.stringify({ cell: "AB" })).toString("base64url");
      const headers = { authorization: `Bearer ${head}.${claims}.${signature}` };
      expect(cellOf(await asked({ path: "/api/v1/domains", headers }))).toBe("AB");
    });
  });

  test.for([
    ["no credential", {}],
    ["a key of an unknown cell", { headers: key("ZZ") }],
    ["a token of an unknown cell", { headers: { authorization: `Bearer a.${claimsOf({ cell: "ZZ" })}.b` } }],
    ["a token whose cell is no text", { headers: { authorization: `Bearer a.${claimsOf({ cell: ["AA"] })}.b` } }],
    ["a token without a cell", { headers: { authorization: `Bearer a.${claimsOf({})}.b` } }],
    ["a token cut short", { headers: { authorization: "Bearer eyJ" } }],
    ["the beginning of a key", { headers: { "x-api-key": "postern_live_A" } }],
    ["a key in other letters", { headers: key("aa") }],
    ["no JSON to refresh with", { method: "POST", path: "/api/v1/auth/refresh", body: "{refresh_token" }],
    ["a body that is no object", { method: "POST", path: "/api/v1/auth/refresh", body: "7" }],
    ["a path of nobody", { path: "/nothing" }],
  ] satisfies [string, Question][])("%s is answered by some cell, never by the proxy", async ([, question]) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => asked(question)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(cellOf)).size).toBe(2);
  });

  test.for(["/api/v1/auth/login", "/api/v1/feedback/ses", "/.well-known/jwks.json"])(
    "%s is of one cell, so the common address says where it is",
    async (path) => {
      const answer = await asked({ method: "POST", path, headers: { "x-request-id": "mine-7" }, body: "{}" });
      expect(answer.status).toBe(404);
      expectShape(answer, "NOT_FOUND");
      expect(answer.headers["x-request-id"]).toBe("mine-7");
    },
  );

  test("a body of 8 MiB arrives whole", async () => {
    const body = randomBytes(8 * 1024 * 1024);
    const answer = await asked({ method: "POST", path: "/api/v1/send", headers: key("AB"), body });
    const sha256 = createHash("sha256").update(body).digest("hex");
    expect(JSON.parse(answer.text)).toMatchObject({ name: expect.stringMatching("AB"), bytes: body.length, sha256 });
  });

  test("the caller's request id is kept where it is harmless, and else replaced, in both directions", async () => {
    const kept = await asked({ headers: { ...key("AA"), "x-request-id": "order.7_A-b" } });
    expect(JSON.parse(kept.text)).toMatchObject({ requestId: "order.7_A-b" });
    expect(kept.headers["x-request-id"]).toBe("order.7_A-b");
    const replaced = await asked({ headers: { ...key("AA"), "x-request-id": 'a"b' } });
    expect(replaced.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(replaced.text)).toMatchObject({ requestId: replaced.headers["x-request-id"] });
  });

  test("nobody can claim to come from another address", async () => {
    const answer = await asked({ headers: { ...key("AA"), "x-forwarded-for": "203.0.113.9" } });
    expect(JSON.parse(answer.text)).toMatchObject({ client: "127.0.0.1" });
  });

  test("with certificates it speaks TLS", async () => {
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
    const [answer] = await once(outgoing, "response");
    expect(JSON.parse(await text(answer))).toMatchObject({ name: expect.stringMatching(/^AB/) });
  });
});

function claimsOf(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString("base64url");
}
