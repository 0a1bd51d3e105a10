import { describe, expect, test } from "vitest";
import { expectShape } from "./expect-shape.ts";
import { sendBytes } from "./proxy-client.ts";
import { isHaproxyInstalled } from "./start-haproxy.ts";
import { accessToken, cellOf, key, until, useTwoCells } from "./use-two-cells.ts";

/** Two contradicting lengths: servers that use the first or the second one would see different requests. */
const smuggled = "content-length: 5\r\ncontent-length: 9\r\n\r\nhello";

describe.skipIf(!isHaproxyInstalled())("deploy/cells/haproxy.cfg with failing cells", () => {
  const { apiNamed, apisOf, send, proxy, requestCount } = useTwoCells();

  describe("isolates a failing cell:", () => {
    test("callers of a cell that is down get 503 in the API's format immediately, and the other cell is not affected", async () => {
      for (const api of apisOf("AA")) await api.stop();
      for (const credential of [key("AA"), { authorization: `Bearer ${await accessToken("AA")}` }]) {
        const response = await send({ method: "POST", path: "/api/v1/send", headers: credential, body: "{}" });
        expect(response.status).toBe(503);
        expect(response.headers["retry-after"]).toBe("2");
        expect(response.ms).toBeLessThan(3_000);
        expectShape(response, "UNAVAILABLE");
      }
      // Before and after the health checks detect it.
      await until(async () => {
        for (let times = 0; times < 20; times++) expect(cellOf(await send({ headers: key("AB") }))).toBe("AB");
        return proxy().output().includes("cell_AA has no server available");
      });
      for (let times = 0; times < 8; times++) expect(cellOf(await send({}))).toBe("AB");
      expect((await send({ headers: key("AA") })).ms).toBeLessThan(1_000);
      expect((await send({ host: "aa.mail.acme.io" })).status).toBe(503);
    });

    test("callers of a cell that is not ready get 503", async () => {
      for (const api of apisOf("AB")) api.behave("not-ready");
      await until(async () => (await send({ headers: key("AB") })).status === 503);
      expect(cellOf(await send({ headers: key("AA") }))).toBe("AA");
    });

    test("a cell that hangs occupies no more than its share of the proxy", { timeout: 30_000 }, async () => {
      for (const api of apisOf("AA")) api.behave("hang");
      const room = 2 * 500;
      let refused = 0;
      const waiting = Array.from({ length: room + 20 }, () =>
        send({ headers: key("AA") }).then(
          ({ status }) => {
            if (status === 503) refused += 1;
          },
          () => undefined,
        ),
      );
      await until(async () => refused === 20);
      expect(cellOf(await send({ headers: key("AB") }))).toBe("AB");
      for (const api of apisOf("AA")) await api.stop();
      await Promise.all(waiting);
    });
  });

  describe("sends nothing twice:", () => {
    test("the proxy does not repeat a request that it sent and that was not answered", async () => {
      for (const api of apisOf("AA")) api.behave("cut");
      const before = requestCount();
      const response = await send({ method: "POST", path: "/api/v1/send", headers: key("AA"), body: "{}" });
      expect(requestCount() - before).toBe(1);
      expect(response.status).toBe(503);
      expect(response.headers["retry-after"]).toBe("2");
      expect(response.text).toContain("may have accepted the request");
      expectShape(response, "UNAVAILABLE");
    });

    test("a request that could not be sent goes to another API of the same cell", async () => {
      await apiNamed("AA-1")?.stop();
      for (let times = 0; times < 20; times++) {
        expect(JSON.parse((await send({ headers: key("AA") })).text)).toMatchObject({ name: "AA-2" });
      }
    });
  });

  test("the cell refuses headers that are too large, in the API's format", async () => {
    const response = await send({ headers: { ...key("AA"), "x-large": "x".repeat(20_000) } });
    expect(response.status).toBe(431);
  });

  test("invalid HTTP does not reach a cell", async () => {
    const before = requestCount();
    // HAProxy rejects these before `http-error` applies, so the body has its own format.
    expect(await sendBytes(proxy().port, "GET / HTTP/1.1\r\nbad header\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await sendBytes(proxy().port, `POST / HTTP/1.1\r\nhost: a\r\n${smuggled}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(requestCount()).toBe(before);
  });

  test("the log names failed requests and contains neither keys nor paths", async () => {
    for (const api of apisOf("AA")) await api.stop();
    const headers = { ...key("AA"), "x-request-id": "find-me-1" };
    await send({ method: "DELETE", path: "/api/v1/suppression/jane@example.com", headers });
    await send({ headers: { ...key("AB"), "x-request-id": "find-me-not" } });
    await until(async () => proxy().output().includes("find-me-1"));
    const line = proxy()
      .output()
      .split("\n")
      .find((each) => each.includes("find-me-1"));
    expect(JSON.parse(line ?? "")).toMatchObject({
      event: "request.failed",
      method: "DELETE",
      backend: "cell_AA",
      status: 503,
    });
    expect(proxy().output()).not.toMatch(/postern_(live|test)_|jane|suppression|find-me-not/);
  });
});
