import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { ClosedLoop, ClosedLoopResult } from "./closed-loop.ts";

const { port, connections, seconds, warmUpSeconds, senders } = workerData as ClosedLoop; // Only `closed-loop.ts` starts this thread.
const connectBatch = 100;
const lastAnswersMs = 15_000;
const text = "Thank you for your order. ".repeat(40);

const counts = { acceptedInAll: 0, accepted: 0, refused: 0, failed: 0 };
const delays = { accepted: [] as number[], refused: [] as number[] };
let [underWay, isStopping] = [0, false];
let measuredFrom = Number.POSITIVE_INFINITY;

// Few at a time: a flood of new connections would measure the accept queue of the kernel.
const clients: { send(): void }[] = [];
while (clients.length < connections) {
  const position = clients.length;
  const count = Math.min(connectBatch, connections - position);
  clients.push(...(await Promise.all(Array.from({ length: count }, (_, index) => connectClient(position + index)))));
}
for (const client of clients) client.send();
await sleep(warmUpSeconds * 1000);
measuredFrom = performance.now();
await sleep(seconds * 1000);
isStopping = true;
const measuredUntil = performance.now();
while (underWay > 0 && performance.now() < measuredUntil + lastAnswersMs) await sleep(50);
const result: ClosedLoopResult = {
  ...counts,
  acceptedMs: percentiles(delays.accepted),
  refusedMs: percentiles(delays.refused),
};
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a thread, not a window
parentPort?.postMessage(result);

/** Resolves when the API has answered a first, cheap request on the connection. */
async function connectClient(client: number): Promise<{ send(): void }> {
  const sender = senders[client % senders.length];
  if (sender === undefined) throw new Error("there are no senders");
  const body = JSON.stringify({ from: sender.from, to: [`to-${client}@example.io`], subject: "Your order", text });
  const request =
    `POST /api/v1/send HTTP/1.1\r\nhost: postern.test\r\nx-api-key: ${sender.key}\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET /healthz HTTP/1.1\r\nhost: postern.test\r\n\r\n");
  await once(socket, "data");

  let [startedAt, received, isWaiting] = [0, "", false];
  const send = () => {
    if (isStopping) return;
    [startedAt, received, isWaiting] = [performance.now(), "", true];
    underWay += 1;
    socket.write(request);
  };
  socket.on("close", () => {
    counts.failed += 1;
    if (isWaiting) underWay -= 1;
  });
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    const headEnd = received.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < headEnd + 4 + length) return;
    underWay -= 1;
    isWaiting = false;
    const retryAfter = note(received.slice(9, 12), received, performance.now() - startedAt);
    if (retryAfter === 0) send();
    // Clients do not all return in the same moment.
    else setTimeout(send, (retryAfter + Math.random()) * 1000);
  });
  return { send };
}

/** Returns the seconds after which the client sends again. */
function note(status: string, answer: string, tookMs: number): number {
  const now = performance.now();
  const isMeasured = now >= measuredFrom && !isStopping;
  if (status === "202") {
    counts.acceptedInAll += 1;
    if (isMeasured) {
      counts.accepted += 1;
      delays.accepted.push(tookMs);
    }
    return 0;
  }
  if (status !== "503") {
    counts.failed += 1;
    return 1;
  }
  if (isMeasured) {
    counts.refused += 1;
    delays.refused.push(tookMs);
  }
  return Number(/retry-after: (\d+)/i.exec(answer)?.[1] ?? 1);
}

function percentiles(values: number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
