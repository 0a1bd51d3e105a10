import assert from "node:assert/strict";

/** Fetches the page of the console and every script and style that it names. */
export async function expectConsole(url: string): Promise<void> {
  const page = await fetch(`${url}/`, { headers: { accept: "text/html" } });
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  const files = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path);
  assert.ok(files.length >= 2, `the page names ${files.length} scripts and styles`);
  for (const path of files) {
    const file = await fetch(`${url}${path}`);
    assert.equal(file.status, 200, path);
    assert.ok((await file.arrayBuffer()).byteLength > 0, path);
  }
}
