import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send } = useSendingApi();

/** Together more bytes than the API reads concurrently for an account. */
const manyRequests = 40;
const large = { text: "x".repeat(2_000_000) };

test("connections that close before the API identifies the sender do not use up the capacity for large sends", async () => {
  const { port } = new URL(await api.app.listen({ port: 0, host: "127.0.0.1" }));
  const sender = await aSender();
  const head = `POST /api/v1/send HTTP/1.1\r\nhost: a\r\nx-api-key: ${sender.key}\r\ntransfer-encoding: chunked\r\n\r\n`;
  for (let sent = 0; sent < manyRequests; sent++) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("data", () => undefined);
    socket.write(`${head}this is no chunk\r\n`);
    await once(socket, "close");
  }
  // After this request the API has identified the sender of every earlier one.
  await send(sender);
  for (const other of [sender, await aSender()]) expect((await send(other, large)).status).toBe(202);
});

test("too many concurrent large sends return 503, and requests without a body never do", async () => {
  const sender = await aSender();
  const statuses = (responses: { status: number }[]) => new Set(responses.map(({ status }) => status));
  const many = <Response>(request: () => Promise<Response>) =>
    Promise.all(Array.from({ length: manyRequests }, request));
  expect(statuses(await many(() => send(sender, large)))).toEqual(new Set([202, 503]));
  const empty = () => api.call({ method: "POST", path: "/api/v1/send", key: sender.key });
  expect(statuses(await many(empty))).toEqual(new Set([422]));
});

test("validations share the capacity for large bodies with sends, and further ones return 503", async () => {
  const sender = await aSender();
  const validate = () =>
    api.call({
      method: "POST",
      path: "/api/v1/send/validate",
      key: sender.key,
      body: { from: sender.from, ...hello, ...large },
    });
  const responses = await Promise.all(Array.from({ length: manyRequests }, validate));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 503]));
  expect(responses.find(({ status }) => status === 503)?.headers["retry-after"]).toBe("5");
  expect((await validate()).status).toBe(200);
});

test.for(["/api/v1/send", "/api/v1/send/validate"])(
  "%s: the large bodies of an account delay the large body of another by one, not by all of them",
  async (path) => {
    const [busy, other] = [await aSender(), await aSender()];
    const answered: string[] = [];
    const call = async ({ key, from }: typeof busy) => {
      await api.call({ method: "POST", path, key, body: { from, ...hello, text: "x".repeat(1_000_000) } });
      answered.push(key);
    };
    await Promise.all([busy, busy, busy, busy, busy, busy, other].map(call));
    expect(answered.indexOf(other.key)).toBeLessThanOrEqual(3);
  },
);
