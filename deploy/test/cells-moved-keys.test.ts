import { rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { generateApiKey, type KeyType } from "../../service/src/api-keys/api-key.ts";
import { copyCellsFolder, writeMovedMap } from "./copy-cells-folder.ts";
import { type ProxyRequest, sendRequest } from "./proxy-client.ts";
import { isHaproxyInstalled, startReloadableHaproxy } from "./start-haproxy.ts";
import { accessToken, cellOf, key, useTwoCells } from "./use-two-cells.ts";

const moved = { live: keyWithPrefix("live"), test: keyWithPrefix("test") };

describe.skipIf(!isHaproxyInstalled())("deploy/cells/haproxy.cfg with moved.map", () => {
  const { settings } = useTwoCells();

  test.for(["live", "test"] as const)("routes a moved %s key to the new cell, in either header", async (type) => {
    const cellFor = await aProxy([`${moved[type].prefix} cell_AB`]);
    const authorization = `bearer  ${moved[type].key}`;
    for (const path of ["/api/v1/send", "/api/v1/domains", "/api/v1/suppression"]) {
      expect(await cellFor({ method: "POST", path, headers: { "x-api-key": moved[type].key } })).toBe("AB");
      expect(await cellFor({ method: "POST", path, headers: { authorization } })).toBe("AB");
    }
  });

  test("leaves the other keys of both cells where they are, also one that differs in the last character", async () => {
    const cellFor = await aProxy([`${moved.live.prefix} cell_AB`]);
    const last = moved.live.prefix.endsWith("A") ? "B" : "A";
    const similar = moved.live.key.replace(moved.live.prefix, `${moved.live.prefix.slice(0, -1)}${last}`);
    for (let times = 0; times < 5; times++) expect(await cellFor({ headers: { "x-api-key": similar } })).toBe("AA");
    expect(await cellFor({ headers: { "x-api-key": moved.test.key } })).toBe("AA");
    expect(await cellFor({ headers: key("AA") })).toBe("AA");
    expect(await cellFor({ headers: key("AB") })).toBe("AB");
  });

  test("also sends a moved key at the host name of its first cell to the new cell; tokens of the first cell stay there", async () => {
    const cellFor = await aProxy([`${moved.live.prefix} cell_AB`]);
    const host = "aa.mail.acme.io";
    expect(await cellFor({ host, headers: { "x-api-key": moved.live.key } })).toBe("AB");
    expect(await cellFor({ host, headers: key("AA") })).toBe("AA");
    expect(await cellFor({ host, headers: { authorization: `Bearer ${await accessToken("AA")}` } })).toBe("AA");
    expect(await cellFor({ host, method: "POST", path: "/api/v1/auth/login" })).toBe("AA");
  });

  test("follows the credential that the API uses, when a request has a moved key and another one", async () => {
    const cellFor = await aProxy([`${moved.live.prefix} cell_AB`]);
    const withToken = { "x-api-key": moved.live.key, authorization: `Bearer ${await accessToken("AA")}` };
    expect(await cellFor({ path: "/api/v1/sends", headers: withToken })).toBe("AB");
    expect(await cellFor({ path: "/api/v1/domains", headers: withToken })).toBe("AA");
    const withKey = { "x-api-key": moved.live.key, authorization: `Bearer ${key("AA")["x-api-key"]}` };
    expect(await cellFor({ path: "/api/v1/usage", headers: withKey })).toBe("AB");
    expect(await cellFor({ path: "/api/v1/domains", headers: withKey })).toBe("AA");
    const other = { ...key("AA"), authorization: `Bearer ${moved.live.key}` };
    expect(await cellFor({ path: "/api/v1/usage", headers: other })).toBe("AA");
    expect(await cellFor({ path: "/api/v1/domains", headers: other })).toBe("AB");
  });

  test("reads a changed map when it is reloaded", async () => {
    const folder = copyCellsFolder();
    const proxy = await startReloadableHaproxy(settings, folder);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    onTestFinished(() => proxy.stop());
    const request = { headers: { "x-api-key": moved.live.key } };
    expect(cellOf(await sendRequest(proxy.port, request))).toBe("AA");
    writeMovedMap(folder, ["# a comment", `${moved.live.prefix} cell_AB`]);
    await proxy.reload();
    await expect.poll(async () => cellOf(await sendRequest(proxy.port, request))).toBe("AB");
  });

  async function aProxy(lines: string[]): Promise<(request: ProxyRequest) => Promise<string>> {
    const folder = copyCellsFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeMovedMap(folder, lines);
    const proxy = await startReloadableHaproxy(settings, folder);
    onTestFinished(() => proxy.stop());
    return async (request) => cellOf(await sendRequest(proxy.port, request));
  }
});

/** The prefix as the API stores it, without its dots. */
function keyWithPrefix(type: KeyType): { key: string; prefix: string } {
  const { key: whole, keyPrefix } = generateApiKey(type, "AA");
  return { key: whole, prefix: keyPrefix.replace("...", "") };
}
