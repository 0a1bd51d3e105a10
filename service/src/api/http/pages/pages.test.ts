import { describe, expect, test } from "vitest";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { errorCodes } from "../../../errors.ts";

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("with API_REFERENCE=on", () => {
  const api = useTestApi();
  const open = (path: string, headers: Record<string, string> = browser) => api.call({ method: "GET", path, headers });

  test.for(["/", "/errors", "/errors/RATE_LIMIT_EXCEEDED", "/errors/NOPE"])(
    "%s is a page without scripts that loads nothing, and its policy allows its own style only",
    async (path) => {
      const { headers, text } = await open(path);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.vary).toBe("accept");
      expect(text).not.toMatch(/<script|javascript:| on\w+=|https?:\/\/(?!postern\.test\/errors\/|www\.w3\.org)/);
    },
  );

  test("/ links the reference, the error codes, the document and the status, and every link works", async () => {
    const { status, text } = await open("/");
    expect(status).toBe(200);
    const paths = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path = ""]) => path);
    expect(paths).toEqual(expect.arrayContaining(["/reference/", "/errors", "/openapi.json", "/healthz", "/readyz"]));
    for (const path of paths) expect((await api.app.inject(path)).statusCode, path).toBe(200);
  });

  test.for(errorCodes)("/errors/%s shows cause, fix and example", async (code) => {
    const { status, text } = await open(`/errors/${code}`);
    expect(status).toBe(200);
    for (const heading of ["Cause", "Fix", "Example"]) expect(text).toContain(`<h2>${heading}</h2>`);
    expect(text).toContain(`http://postern.test/errors/${code}`);
  });

  test("an unknown code is a page with status 404 that lists all codes and escapes the given one", async () => {
    const { status, text } = await open("/errors/%3Cimg%20src=x%3E");
    expect(status).toBe(404);
    expect(text).toContain("&lt;img src=x&gt;");
    expect(text).not.toContain("<img");
    for (const code of errorCodes) expect(text).toContain(`href="/errors/${code}"`);
  });

  test("without text/html in Accept the pages are plain text, and an unknown code is the published error", async () => {
    for (const path of ["/", "/errors", "/errors/CONFLICT"]) {
      const { status, headers } = await open(path, { accept: "*/*" });
      expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    }
    expect((await open("/errors/NOPE", {})).json().error.code).toBe("NOT_FOUND");
  });
});

describe("with API_REFERENCE=off", () => {
  const api = useTestApi({ API_REFERENCE: "off" });

  test("no page links the reference", async () => {
    const { text } = await api.call({ method: "GET", path: "/", headers: browser });
    expect(text).not.toContain("/reference");
  });
});
