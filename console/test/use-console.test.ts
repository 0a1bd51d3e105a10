import { expect, test } from "vitest";
import { expectNoViolations } from "./expect-no-violations.ts";
import { interactions } from "./interactions.ts";
import { collectProblems } from "./page-problems.ts";
import { useConsole } from "./use-console.ts";

const ui = useConsole();

/** A page of the cell's origin whose content the test decides. */
async function aPage(html: string, policy = "default-src 'self'") {
  const page = await ui.newPage();
  const headers = { "content-security-policy": policy };
  await page.route("**/made-by-the-test", (route) => route.fulfill({ contentType: "text/html", headers, body: html }));
  return page;
}

test.for(["owner", "developer", "viewer"] as const)(
  "the %s of an account logs in by the API and in the browser",
  async (role) => {
    const person = await ui.aPerson({ role });
    const me = await ui.api(person).get<{ email: string }>("/auth/me");
    expect(me).toMatchObject({ email: person.email, tenant_id: person.accountId, role });
    expect(person.owner.role).toBe("owner");
    const page = await ui.newPage({ as: person });
    await page.goto("/");
    const refresh = await page.context().request.post("/api/v1/auth/refresh", {
      data: { browser: true },
      headers: { origin: ui.url },
    });
    expect(refresh.status()).toBe(200);
  },
);

test("seeded mail has every outcome in both modes", async () => {
  const viewer = await ui.aPerson({ role: "viewer" });
  const { sends, domain } = await ui.seedMail(viewer);
  expect(sends).toHaveLength(21);
  expect(new Set(sends.map(({ status }) => status)).size).toBe(6);
  const suppressed = await ui.api(viewer).get<{ pagination: { total: number } }>("/suppression");
  expect(suppressed.pagination.total).toBeGreaterThan(4);
  expect(await ui.api(viewer).get("/domains")).toMatchObject([{ domain_name: domain, verification_status: "Success" }]);
});

test("interactions count clicks, keys, pastes and each typed field once", async () => {
  const page = await aPage(`<title>t</title><button>Save</button><input name="a"><input name="b">`);
  const counted = await interactions(page);
  await page.goto("/made-by-the-test");
  await page.getByRole("button").click();
  await page.locator("[name=a]").pressSequentially("some text");
  await page.locator("[name=b]").fill("other text");
  await page.keyboard.press("Enter");
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("g");
  expect(await counted.list()).toEqual([
    "click BUTTON: Save",
    "type INPUT: a",
    "type INPUT: b",
    "press Enter INPUT: b",
    "press g BODY: Save",
  ]);
  expect(await counted.count()).toBe(5);
});

test("an unlabelled field is a violation, and a plain page has none", async () => {
  const plain = `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>`;
  const page = await aPage(`${plain}<label>Name <input></label></main>`);
  await page.goto("/made-by-the-test");
  await expectNoViolations(page);
  const faulty = await aPage(`${plain}<input></main>`);
  await faulty.goto("/made-by-the-test");
  await expect(expectNoViolations(faulty)).rejects.toMatchObject({ actual: [expect.stringContaining("label")] });
});

test("a page that breaks its policy, throws or calls a foreign host is noticed", async () => {
  const context = await ui.browser.newContext();
  const problems = await collectProblems(context, ui.url);
  const page = await context.newPage();
  const html = `<style>p { color: red }</style><script src="/thrower.js"></script>`;
  const headers = { "content-security-policy": "default-src 'self'; img-src *" };
  await page.route("**/thrower.js", (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `new Image().src = "http://foreign.invalid/pixel"; throw new Error("of the test");`,
    }),
  );
  await page.route("**/made-by-the-test", (route) => route.fulfill({ contentType: "text/html", headers, body: html }));
  await page.goto(`${ui.url}/made-by-the-test`);
  await expect.poll(() => problems().join("\n")).toMatch(/of the test/);
  expect(problems().join("\n")).toMatch(/CSP: style-src-elem refused inline/);
  expect(problems().join("\n")).toMatch(/foreign host: GET http:\/\/foreign.invalid\/pixel/);
  await context.close();
});
