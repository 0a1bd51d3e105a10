import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { useSimulator } from "../../test/use-simulator.ts";

const running = useSimulator();
const folder = new URL("page/", import.meta.url);
const files = readdirSync(folder);

test("the simulator serves the page and all its files with a policy that allows no other host", async () => {
  for (const path of ["/", ...files.filter((file) => file !== "page.html").map((file) => `/_page/${file}`)]) {
    const response = await fetch(running.url + path);
    expect(response.status, path).toBe(200);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/);
  }
});

test("no file of the page names another host or turns text into markup", () => {
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), "utf8").replaceAll("http://www.w3.org/2000/svg", "");
    expect(text, file).not.toMatch(/https?:\/\/|\/\/cdn|innerHTML|insertAdjacentHTML|document\.write/);
  }
});

test("the page shows the HTML of a mail in a frame without scripts, forms or its own origin", () => {
  const mail = readFileSync(new URL("mail.js", folder), "utf8");
  expect(mail).toContain('element("iframe", { sandbox: "",');
});

test("the simulator serves no file outside the page's folder", async () => {
  for (const path of [
    "/_page/../view-routes.ts",
    "/_page/%2e%2e/view-routes.ts",
    "/_page/none.js",
    "/_page/page.html",
    "/none",
  ]) {
    expect((await fetch(running.url + path)).status, path).toBe(404);
  }
});
