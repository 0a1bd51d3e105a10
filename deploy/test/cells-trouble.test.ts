import { describe, expect, test } from "vitest";
import { sendBytes } from "./ask-proxy.ts";
import { expectShape } from "./expect-shape.ts";
import { isHaproxyHere } from "./start-haproxy.ts";
import { accessToken, cellOf, key, until, useTwoCells } from "./use-two-cells.ts";

/** Two lengths: who believes the first and who believes the second would see different requests. */
const smuggled = "content-length: 5\r\ncontent-length: 9\r\n\r\nhello";

describe.skipIf(!isHaproxyHere())("deploy/cells/haproxy.cfg, in trouble,", () => {
  const { apiNamed, apisOf, asked, proxy, requests } = useTwoCells();

  describe("when a cell is down", () => {
    test("its callers get 503 in the shape of the API at once, and those of the other notice nothing", async () => {
      for (const api of apisOf("AA")) await api.stop();
      for (const credential of [key("AA"), { authorization: `Bearer ${await accessToken("AA")}` }]) {
        const answer = await asked({ method: "POST", path: "/api/v1/send", headers: credential, body: "{}" });
        expect(answer.status).toBe(503);
        expect(answer.headers["retry-after"]).toBe("2");
        expect(answer.ms).toBeLessThan(3_000);
        expectShape(answer, "UNAVAILABLE");
      }
      // Before the health checks have seen it, and after.
      await until(async () => {
        for (let times = 0; times < 20; times++) expect(cellOf(await asked({ headers: key("AB") }))).toBe("AB");
        return proxy().said().includes("cell_AA has no server available");
      });
      for (let times = 0; times < 8; times++) expect(cellOf(await asked({}))).toBe("AB");
      expect((await asked({ headers: key("AA") })).ms).toBeLessThan(1_000);
      expect((await asked({ host: "aa.mail.acme.io" })).status).toBe(503);
    });

    test("because its database is away, the proxy says so too", async () => {
      for (const api of apisOf("AB")) api.behave("not-ready");
      await until(async () => (await asked({ headers: key("AB") })).status === 503);
      expect(cellOf(await asked({ headers: key("AA") }))).toBe("AA");
    });

    test("or hangs, it holds no more than its share of the proxy", { timeout: 30_000 }, async () => {
      for (const api of apisOf("AA")) api.behave("hang");
      const room = 2 * 500;
      let refused = 0;
      const waiting = Array.from({ length: room + 20 }, () =>
        asked({ headers: key("AA") }).then(
          ({ status }) => {
            if (status === 503) refused += 1;
          },
          () => undefined,
        ),
      );
      await until(async () => refused === 20);
      expect(cellOf(await asked({ headers: key("AB") }))).toBe("AB");
      for (const api of apisOf("AA")) await api.stop();
      await Promise.all(waiting);
    });
  });

  describe("sends nothing twice", () => {
    test("a request that was sent and not answered is not sent again", async () => {
      for (const api of apisOf("AA")) api.behave("cut");
      const before = requests();
      const answer = await asked({ method: "POST", path: "/api/v1/send", headers: key("AA"), body: "{}" });
      expect(requests() - before).toBe(1);
      expect(answer.status).toBe(503);
      expect(answer.headers["retry-after"]).toBe("2");
      expect(answer.text).toContain("may have counted");
      expectShape(answer, "UNAVAILABLE");
    });

    test("one that could not be sent goes to another API of the same cell", async () => {
      await apiNamed("AA-1")?.stop();
      for (let times = 0; times < 20; times++) {
        expect(JSON.parse((await asked({ headers: key("AA") })).text)).toMatchObject({ name: "AA-2" });
      }
    });
  });

  test("headers that are too large are refused by the cell, and so in its shape", async () => {
    const answer = await asked({ headers: { ...key("AA"), "x-large": "x".repeat(20_000) } });
    expect(answer.status).toBe(431);
  });

  test("what is no HTTP request does not get through", async () => {
    const before = requests();
    // HAProxy answers these in a form of its own, below the level at which its answers can be shaped.
    expect(await sendBytes(proxy().port, "GET / HTTP/1.1\r\nbad header\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await sendBytes(proxy().port, `POST / HTTP/1.1\r\nhost: a\r\n${smuggled}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(requests()).toBe(before);
  });

  test("the log has what went wrong, and neither keys nor paths", async () => {
    for (const api of apisOf("AA")) await api.stop();
    const headers = { ...key("AA"), "x-request-id": "find-me-1" };
    await asked({ method: "DELETE", path: "/api/v1/suppression/jane@example.com", headers });
    await asked({ headers: { ...key("AB"), "x-request-id": "find-me-not" } });
    await until(async () => proxy().said().includes("find-me-1"));
    const line = proxy()
      .said()
      .split("\n")
      .find((each) => each.includes("find-me-1"));
    expect(JSON.parse(line ?? "")).toMatchObject({
      event: "request.troubled",
      method: "DELETE",
      backend: "cell_AA",
      status: 503,
    });
    expect(proxy().said()).not.toMatch(/postern_(live|test)_|jane|suppression|find-me-not/);
  });
});
