import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aConsoleFolder, consoleImage, consoleScript } from "../../../../test/console-fixture.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../create-api-server.ts";
import { chooseEncoding, readConsoleFiles } from "./console-files.ts";

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const api = useTestApi();
const folder = aConsoleFolder();
let app: ApiServer;

beforeAll(async () => {
  app = await createApiServer({ ...api.deps, consoleFiles: readConsoleFiles(folder.path) });
});
afterAll(async () => {
  await app.close();
  folder.remove();
});

const open = (url: string, headers: Record<string, string> = browser) => app.inject({ url, headers });

describe("the page", () => {
  test.for(["/", "/activity", "/sends/0199a5c2?tab=events", "/domains/7"])(
    "%s is the console, with all of its headers",
    async (url) => {
      const { statusCode, headers, body } = await open(url);
      const nonce = /name="csp-nonce" content="([\w+/]{22}==)"/.exec(body)?.[1];
      expect(nonce).toBeDefined();
      expect(body).toContain(`nonce="${nonce}"`);
      expect(body).not.toContain("__CSP_NONCE__");
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy":
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; ` +
          "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
          "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        vary: "accept",
      });
      expect(headers).not.toHaveProperty("x-powered-by");
      expect(headers).not.toHaveProperty("set-cookie");
    },
  );

  test("has another nonce in each of 100 responses", async () => {
    const policies = await Promise.all(
      Array.from({ length: 100 }, async () => (await open("/activity")).headers["content-security-policy"]),
    );
    expect(new Set(policies).size).toBe(100);
  });

  test("answers HEAD with the same headers and no body", async () => {
    const { statusCode, headers, body } = await app.inject({ method: "HEAD", url: "/activity", headers: browser });
    expect([statusCode, body]).toEqual([200, ""]);
    expect(Number(headers["content-length"])).toBe((await open("/activity")).rawPayload.length);
  });

  test("is not sent to a program: / stays plain text, and a path of the console is the published 404", async () => {
    expect((await open("/", { accept: "*/*" })).headers["content-type"]).toBe("text/plain; charset=utf-8");
    const { statusCode, headers, body } = await open("/activity", { accept: "application/json" });
    expect([statusCode, headers["content-type"]]).toEqual([404, "application/json; charset=utf-8"]);
    expect(JSON.parse(body).error.code).toBe("NOT_FOUND");
  });
});

describe("an asset", () => {
  test("is cached for good, with its type, for every Accept", async () => {
    const { statusCode, headers, body } = await open("/assets/index-B1a2.js", { accept: "*/*" });
    expect([statusCode, body]).toEqual([200, consoleScript]);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
    });
    expect(headers).not.toHaveProperty("content-encoding");
    expect((await open("/assets/index-C3d4.css")).headers["content-type"]).toBe("text/css; charset=utf-8");
    expect((await open("/assets/mark-D5e6.png")).headers["content-type"]).toBe("image/png");
  });

  test.for([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("is compressed as %s, the same for concurrent requests", async ([encoding, decompress]) => {
    const request = () => open("/assets/index-B1a2.js", { "accept-encoding": encoding });
    const all = await Promise.all(Array.from({ length: 10 }, request));
    for (const { headers, rawPayload } of all) {
      expect(headers["content-encoding"]).toBe(encoding);
      expect(rawPayload.length).toBeLessThan(consoleScript.length / 10);
      expect(decompress(rawPayload).toString()).toBe(consoleScript);
    }
  });

  test("is not compressed when it is an image, or when that makes it larger", async () => {
    const image = await open("/assets/mark-D5e6.png", { "accept-encoding": "br, gzip" });
    expect(image.headers).not.toHaveProperty("content-encoding");
    expect(image.rawPayload).toEqual(consoleImage);
    const css = await open("/assets/index-C3d4.css", { "accept-encoding": "gzip" });
    expect([css.headers["content-encoding"], css.body]).toEqual([undefined, "p{}"]);
  });

  test("beside the page is cached for an hour, because its name has no hash", async () => {
    const { statusCode, headers, body } = await open("/favicon.svg", { accept: "image/*" });
    expect([statusCode, body]).toEqual([200, "<svg/>"]);
    expect(headers).toMatchObject({
      "content-type": "image/svg+xml; charset=utf-8",
      "cache-control": "public, max-age=3600",
    });
  });

  test("answers HEAD with its length and no body", async () => {
    const { statusCode, headers, body } = await app.inject({ method: "HEAD", url: "/assets/index-B1a2.js" });
    expect([statusCode, headers["content-length"], body]).toEqual([200, String(consoleScript.length), ""]);
  });

  test.for([
    "/assets/unknown.js",
    "/assets/",
    "/assets",
    "/assets/link.txt",
    "/assets/../unknown.type",
    "/assets/favicon.svg",
    "/assets/../../secret.txt",
    "/assets/..%2ffavicon.svg",
    "/assets/%2e%2e/%2e%2e/secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/assets/%00",
    "/assets/%E0%A4%A",
    "/assets//index-B1a2.js",
    "/assets/constructor",
    "/index-B1a2.js",
    "/unknown.type",
    "/.hidden.json",
    "/index.html",
  ])("%s does not exist: 404, not cached, and never the page", async (url) => {
    const { statusCode, headers, body } = await open(url);
    expect([statusCode, headers["content-type"], headers["cache-control"]]).toEqual([
      404,
      "application/json; charset=utf-8",
      "no-store",
    ]);
    expect(JSON.parse(body).error.code).toBe("NOT_FOUND");
  });
});

test.for([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["br;q=0, GZIP;q=0.5", "gzip"],
  ["br;q=0.0,gzip; q=0", undefined],
] as const)("Accept-Encoding %s is answered with %s", ([given, chosen]) => {
  expect(chooseEncoding(given)).toBe(chosen);
});

describe("the API beside the console", () => {
  test.for(["/api/v1/unknown", "/unknown", "/sends", "/activity/more"])(
    "%s is the published 404, also for a browser",
    async (url) => {
      for (const headers of [browser, { accept: "application/json" }]) {
        const { statusCode, body } = await open(url, headers);
        expect([statusCode, JSON.parse(body).error.code]).toEqual([404, "NOT_FOUND"]);
      }
    },
  );

  test("is no endpoint: another method on the path of a page is the published 404", async () => {
    const { statusCode, headers } = await app.inject({ method: "POST", url: "/domains" });
    expect([statusCode, headers.allow]).toEqual([404, undefined]);
  });
});

describe("without a built console", () => {
  test("the folder is absent or has no page", () => {
    expect(readConsoleFiles(`${folder.path}/nothing`)).toBeUndefined();
    expect(readConsoleFiles(`${folder.path}/assets`)).toBeUndefined();
  });

  test.for(["/activity", "/assets/index-B1a2.js"])("%s is the published 404", async (path) => {
    const { status, json } = await api.call({ method: "GET", path, headers: browser });
    expect([status, json().error.code]).toEqual([404, "NOT_FOUND"]);
  });

  test("/ is the start page", async () => {
    expect((await api.call({ method: "GET", path: "/", headers: browser })).text).toContain("Postern is running");
  });
});
