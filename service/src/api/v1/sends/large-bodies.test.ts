import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send } = useSendingApi();

/** More than are allowed under way over all accounts. */
const manyTimes = 40;
const large = { text: "x".repeat(100_000) };

test("connections that end before their sender is known leave room for the large mails of others", async () => {
  const { port } = new URL(await api.app.listen({ port: 0, host: "127.0.0.1" }));
  const sender = await aSender();
  const head = `POST /api/v1/send HTTP/1.1\r\nhost: a\r\nx-api-key: ${sender.key}\r\ntransfer-encoding: chunked\r\n\r\n`;
  for (let sent = 0; sent < manyTimes; sent++) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("data", () => undefined);
    socket.write(`${head}this is no chunk\r\n`);
    await once(socket, "close");
  }
  // All of them have found out by now who was asking: this one asks in the same way.
  await send(sender);
  for (const other of [sender, await aSender()]) expect((await send(other, large)).status).toBe(202);
});

test("of large mails under way at once some are asked to come again, and none of those without a body", async () => {
  const sender = await aSender();
  const statuses = (answers: { status: number }[]) => new Set(answers.map(({ status }) => status));
  const many = <Answer>(ask: () => Promise<Answer>) => Promise.all(Array.from({ length: manyTimes }, ask));
  expect(statuses(await many(() => send(sender, large)))).toEqual(new Set([202, 503]));
  const empty = () => api.call({ method: "POST", path: "/api/v1/send", key: sender.key });
  expect(statuses(await many(empty))).toEqual(new Set([422]));
});
