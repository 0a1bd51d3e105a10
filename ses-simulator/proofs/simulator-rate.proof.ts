import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import type { Proof } from "../../scripts/proof.ts";
import { aMail, call, createFeedbackPath, signature } from "./raw-client.ts";
import { aFreePort, SimulatorProcess } from "./simulator-process.ts";

const connections = 64;
const requiredPerSecond = 3000;
/** A smaller run is too short to measure the rate. It only shows that every send arrives. */
const smallestMeasurement = 10_000;
const ticksPerSecond = 100;

export const proof: Proof = {
  promise: "the simulator accepts 3,000 SendEmail per second on 2 cores with the ledger on disk",
  covers: ["ses-simulator/src"],
  size: { small: 500, full: 60_000 },
  async run(size, tools) {
    const folder = mkdtempSync(join(tmpdir(), "simulator-rate-"));
    const simulator = new SimulatorProcess(await aFreePort(), folder);
    try {
      await simulator.start();
      await createFeedbackPath(simulator.port, "signed");
      await createFeedbackPath(simulator.port, "raw", true);
      await sendRaw(simulator.port, Math.ceil(size / 10), {});
      tools.progress("sending without events");
      const plain = await measure(simulator, () => sendRaw(simulator.port, size, {}));
      tools.progress("sending with the official SDK");
      const sdk = await measure(simulator, () => sendWithSdk(simulator.port, Math.ceil(size / 10)));
      tools.progress("sending with Send and Delivery events into a queue");
      const sendWithEvents = (ConfigurationSetName: string) =>
        measure(simulator, () => sendRaw(simulator.port, Math.ceil(size / 4), { ConfigurationSetName }));
      const raw = await sendWithEvents("raw");
      const signed = await sendWithEvents("signed");
      const sent = plain.sent + raw.sent + signed.sent + sdk.sent + Math.ceil(size / 10);
      const stored = JSON.parse(await call(simulator.port, "GET", "/_simulator/health", {})).accepted;
      return {
        figure:
          `${plain.perSecond} sends/s (n=${plain.sent}, ${connections} connections, simulator ${plain.simulatorCpu} of a core, ` +
          `client ${plain.clientCpu}); with events raw ${raw.perSecond}/s, signed ${signed.perSecond}/s (n=${signed.sent} each); ` +
          `official SDK ${sdk.perSecond} calls/s, ${sdk.perClientCore} per second and core (n=${sdk.sent}); ` +
          `${stored} of ${sent} in the ledger`,
        holds: stored === sent && (size < smallestMeasurement || plain.perSecond >= requiredPerSecond),
      };
    } finally {
      await simulator.kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(simulator: SimulatorProcess, send: () => Promise<number>) {
  const started = performance.now();
  const [simulatorBefore, clientBefore] = [cpuSecondsOf(simulator.pid), process.cpuUsage()];
  const sent = await send();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(clientBefore);
  const clientSeconds = (user + system) / 1e6;
  return {
    sent,
    perSecond: Math.round(sent / seconds),
    perClientCore: Math.round(sent / clientSeconds),
    clientCpu: (clientSeconds / seconds).toFixed(2),
    simulatorCpu: ((cpuSecondsOf(simulator.pid) - simulatorBefore) / seconds).toFixed(2),
  };
}

/** A minimal client, so that the run measures the simulator: it sends prepared bytes and counts the answers. */
async function sendRaw(port: number, count: number, changes: object): Promise<number> {
  const request = requestBytes(port, changes);
  let started = 0;
  let accepted = 0;
  const oneConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const next = () => {
        if (started === count) return socket.end();
        started++;
        return socket.write(request);
      };
      socket.on("connect", next);
      socket.on("data", (answer) => {
        if (answer.includes("HTTP/1.1 200")) accepted++;
        else reject(new Error(answer.toString()));
        next();
      });
      socket.on("error", reject);
      socket.on("close", () => resolve());
    });
  await Promise.all(Array.from({ length: connections }, oneConnection));
  return accepted;
}

function requestBytes(port: number, changes: object): Buffer {
  const body = JSON.stringify(aMail("0198c0de-0000-7000-8000-000000000000", changes));
  const headers = Object.entries({
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    ...signature("ses"),
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(
    `POST /v2/email/outbound-emails HTTP/1.1\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function sendWithSdk(port: number, count: number): Promise<number> {
  const credentials = { accessKeyId: "simulator", secretAccessKey: "simulator" };
  const client = new SESv2Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-west-1",
    credentials,
    maxAttempts: 1,
  });
  // The SDK uses the same member names as the API.
  const input = aMail("sdk") as SendEmailCommandInput;
  let started = 0;
  const oneCaller = async () => {
    while (started++ < count) await client.send(new SendEmailCommand(input));
  };
  await Promise.all(Array.from({ length: 32 }, oneCaller));
  client.destroy();
  return count;
}

/** User and system time of another process, or 0 on a system without /proc. */
function cpuSecondsOf(pid: number): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(afterName[11]) + Number(afterName[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}
