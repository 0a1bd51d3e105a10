import { describe, expect, test } from "vitest";
import { useTestApi } from "../../../test/use-test-api.ts";

describe("with API_REFERENCE=on", () => {
  const api = useTestApi();

  test("the content security policy of /reference allows only this installation and one inline script", async () => {
    const { statusCode, headers, body } = await api.app.inject("/reference/");
    expect(statusCode).toBe(200);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'self'; script-src 'self' 'sha256-[^']+'; /);
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  test("the installation serves the script of the page itself", async () => {
    const { statusCode, headers } = await api.app.inject("/reference/js/scalar.js");
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toContain("javascript");
  });

  test("an unknown path below it answers as any other does", async () => {
    const { statusCode, body } = await api.app.inject("/reference/unknown");
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({ statusCode: 404, error: { code: "NOT_FOUND" } });
  });
});

describe("with API_REFERENCE=off", () => {
  const api = useTestApi({ API_REFERENCE: "off" });

  test("/reference returns 404 and /openapi.json still returns 200", async () => {
    expect((await api.app.inject("/reference/")).statusCode).toBe(404);
    expect((await api.app.inject("/openapi.json")).statusCode).toBe(200);
  });
});
