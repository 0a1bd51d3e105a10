import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { FaultProxy } from "./fault-proxy.ts";

const noPieces = { roll: () => 0 };

test("without a fault everything passes both ways, and an end is an end", async () => {
  const { client, server } = await aLine();
  client.end("question");
  expect(await textOf(server)).toBe("question");
  server.end("answer");
  expect(await textOf(client)).toBe("answer");
});

test("latency: the piece comes, later", async () => {
  const { client, server, proxy } = await aLine({ roll: () => 300 });
  proxy.break("latency", "to-server");
  const sentAt = performance.now();
  client.write("late");
  await once(server, "data");
  expect(performance.now() - sentAt).toBeGreaterThan(250);
});

test("reset: both sides see it, and a new connection fares no better", async () => {
  const { client, server, proxy, open } = await aLine();
  proxy.break("reset", "to-client");
  server.write("never arrives");
  expect(await endOf(client)).toBe("ECONNRESET");
  const again = await open();
  again.server.write("nor this");
  expect(await endOf(again.client)).toBe("ECONNRESET");
});

test("black-hole: nothing passes in its direction until it is healed, then all of it", async () => {
  const { client, server, proxy } = await aLine();
  proxy.break("black-hole", "to-server");
  const received: string[] = [];
  server.on("data", (piece) => received.push(String(piece)));
  client.write("held");
  server.write("passes");
  expect(String(await once(client, "data"))).toBe("passes");
  await sleep(100);
  expect(received).toEqual([]);
  proxy.heal();
  await expect.poll(() => received.join("")).toBe("held");
});

test("half-open: the side it was meant for is gone, the other does not learn of it", async () => {
  const { client, server, proxy } = await aLine();
  proxy.break("half-open", "to-server");
  const gone = once(server, "end");
  client.write("into the void");
  server.resume();
  await gone;
  await sleep(100);
  expect(client.readyState).toBe("open");
});

test("half-open: after a while keepalive tells the other side too, however little it has to say", async () => {
  const { client, server, proxy } = await aLine(noPieces, 200);
  proxy.break("half-open", "to-client");
  const [gone, told] = [once(client, "end"), once(server, "end")];
  client.resume();
  server.resume();
  server.write("into the void");
  await gone;
  await told;
});

test("slow: a byte a second, and the rest when it is healed", async () => {
  const { client, server, proxy } = await aLine();
  proxy.break("slow", "to-client");
  server.write("slowly");
  expect(String(await once(client, "data"))).toBe("s");
  proxy.heal();
  expect(String(await once(client, "data"))).toBe("lowly");
});

test("truncation: half of a piece, then the end", async () => {
  const { client, server, proxy } = await aLine();
  proxy.break("truncation", "to-client");
  server.write("1234567890");
  expect(await textOf(client)).toBe("12345");
});

async function aLine(dice = noPieces, halfOpenMs?: number) {
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
    const accepted = once(target, "connection") as Promise<Socket[]>; // As node:net documents it.
    const client = connect(proxyPort, "127.0.0.1").on("error", () => undefined);
    const [server] = await accepted;
    if (server === undefined) throw new Error("no connection");
    server.on("error", () => undefined);
    return { client, server };
  };
  return { ...(await open()), proxy, open };
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const piece of socket.iterator({ destroyOnReturn: false })) text += String(piece);
  return text;
}

function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    socket.on("end", () => resolve("end"));
    socket.resume();
  });
}
