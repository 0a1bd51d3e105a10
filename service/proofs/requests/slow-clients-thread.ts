import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { SlowClients, SlowClientsState } from "./slow-clients.ts";

const { port, idle, slow, key } = workerData as SlowClients; // Only `slow-clients.ts` starts this thread.
const connectBatch = 100;
const reportEveryMs = 100;
const maxReconnectMs = 1_000;
const state: SlowClientsState = { connected: 0, cut: 0 };

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a thread, not a window
setInterval(() => parentPort?.postMessage({ ...state }), reportEveryMs);
for (let client = 0; client < idle + slow; client++) {
  connectClient(client);
  if (client % connectBatch === 0) await sleep(20);
}

function connectClient(client: number): void {
  const socket = connect(port, "127.0.0.1");
  let byteTimer: NodeJS.Timeout | undefined;
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  socket.on("connect", () => {
    state.connected += 1;
    socket.once("close", () => {
      state.connected -= 1;
      state.cut += 1;
    });
    if (client < slow) {
      socket.write(headOfSlowBody());
      byteTimer = setInterval(() => socket.write("x"), 1000);
    } else if (client % 2 === 0) socket.write("POST /api/v1/send HTTP/1.1\r\nhost: postern.test\r\nx-half: ");
  });
  socket.on("close", () => {
    clearInterval(byteTimer);
    setTimeout(() => connectClient(client), Math.random() * maxReconnectMs);
  });
}

function headOfSlowBody(): string {
  const lines = ["host: postern.test", `x-api-key: ${key}`, "content-type: application/json", "content-length: 10000"];
  return `POST /api/v1/send HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n{`;
}
