import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { Crowd, CrowdState } from "./slow-crowd.ts";

const { port, idle, slow, key } = workerData as Crowd; // `slow-crowd.ts` is the only one that starts this thread.
const atOnce = 100;
const tellEveryMs = 100;
const longestAbsenceMs = 1_000;
const state: CrowdState = { connected: 0, cut: 0 };

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a thread and not to a window
setInterval(() => parentPort?.postMessage({ ...state }), tellEveryMs);
for (let member = 0; member < idle + slow; member++) {
  join(member);
  if (member % atOnce === 0) await sleep(20);
}

function join(member: number): void {
  const socket = connect(port, "127.0.0.1");
  let drip: NodeJS.Timeout | undefined;
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  socket.on("connect", () => {
    state.connected += 1;
    socket.once("close", () => {
      state.connected -= 1;
      state.cut += 1;
    });
    if (member < slow) {
      socket.write(headOfSlowBody());
      drip = setInterval(() => socket.write("x"), 1000);
    } else if (member % 2 === 0) socket.write("POST /api/v1/send HTTP/1.1\r\nhost: postern.test\r\nx-half: ");
  });
  socket.on("close", () => {
    clearInterval(drip);
    setTimeout(() => join(member), Math.random() * longestAbsenceMs);
  });
}

function headOfSlowBody(): string {
  const lines = ["host: postern.test", `x-api-key: ${key}`, "content-type: application/json", "content-length: 10000"];
  return `POST /api/v1/send HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n{`;
}
