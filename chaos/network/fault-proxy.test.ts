import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { FaultProxy } from "./fault-proxy.ts";

const noChunks = { roll: () => 0 };

test("without a fault the proxy forwards data and the end of a stream in both directions", async () => {
  const { client, server } = await aProxiedConnection();
  client.end("question");
  expect(await textOf(server)).toBe("question");
  server.end("answer");
  expect(await textOf(client)).toBe("answer");
});

test("latency delays a chunk", async () => {
  const { client, server, proxy } = await aProxiedConnection({ roll: () => 300 });
  proxy.break("latency", "to-server");
  const sentAt = performance.now();
  client.write("late");
  await once(server, "data");
  expect(performance.now() - sentAt).toBeGreaterThan(250);
});

test("reset breaks the connection and every new one", async () => {
  const { client, server, proxy, open } = await aProxiedConnection();
  proxy.break("reset", "to-client");
  server.write("never arrives");
  expect(await endOf(client)).toBe("ECONNRESET");
  const again = await open();
  again.server.write("nor this");
  expect(await endOf(again.client)).toBe("ECONNRESET");
});

test("black-hole holds data in its direction until the fault is healed, then forwards it", async () => {
  const { client, server, proxy } = await aProxiedConnection();
  proxy.break("black-hole", "to-server");
  const received: string[] = [];
  server.on("data", (chunk) => received.push(String(chunk)));
  client.write("held");
  server.write("passes");
  expect(String(await once(client, "data"))).toBe("passes");
  await sleep(100);
  expect(received).toEqual([]);
  proxy.heal();
  await expect.poll(() => received.join("")).toBe("held");
});

test("half-open closes the receiving side without the other side noticing", async () => {
  const { client, server, proxy } = await aProxiedConnection();
  proxy.break("half-open", "to-server");
  const serverEnded = once(server, "end");
  client.write("lost");
  server.resume();
  await serverEnded;
  await sleep(100);
  expect(client.readyState).toBe("open");
});

test("half-open also closes the other side after a while, as TCP keepalive would", async () => {
  const { client, server, proxy } = await aProxiedConnection(noChunks, 200);
  proxy.break("half-open", "to-client");
  const [clientEnded, serverEnded] = [once(client, "end"), once(server, "end")];
  client.resume();
  server.resume();
  server.write("lost");
  await clientEnded;
  await serverEnded;
});

test("slow forwards one byte per second, and the rest when the fault is healed", async () => {
  const { client, server, proxy } = await aProxiedConnection();
  proxy.break("slow", "to-client");
  server.write("slowly");
  expect(String(await once(client, "data"))).toBe("s");
  proxy.heal();
  expect(String(await once(client, "data"))).toBe("lowly");
});

test("truncation forwards half of a chunk, then closes the connection", async () => {
  const { client, server, proxy } = await aProxiedConnection();
  proxy.break("truncation", "to-client");
  server.write("1234567890");
  expect(await textOf(client)).toBe("12345");
});

async function aProxiedConnection(dice = noChunks, halfOpenMs?: number) {
  const target = createServer({ allowHalfOpen: true });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const { port } = target.address() as AddressInfo; // A listening TCP server has no other kind of address.
  const proxy = new FaultProxy(port, dice, halfOpenMs);
  const proxyPort = await proxy.listen();
  onTestFinished(() => {
    proxy.close();
    target.close();
  });
  const open = async () => {
    const accepted = once(target, "connection") as Promise<Socket[]>; // The documented arguments of this event.
    const client = connect(proxyPort, "127.0.0.1").on("error", () => undefined);
    const [server] = await accepted;
    if (server === undefined) throw new Error("the proxy did not connect to the server");
    server.on("error", () => undefined);
    return { client, server };
  };
  return { ...(await open()), proxy, open };
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) text += String(chunk);
  return text;
}

function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    socket.on("end", () => resolve("end"));
    socket.resume();
  });
}
