import { spawn } from "node:child_process";
import { once } from "node:events";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

/** As deploy/tracing/instrumentation.mjs, but with a buffer that loses no span. */
export function loadSdk(url: string): NodeTracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  const sdk = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: 100_000 })] });
  sdk.register();
  return sdk;
}

const program = `
  const server = require("node:http").createServer((request, response) => request.resume().on("end", () => response.end("{}")));
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/** In a process of its own, so that its CPU time does not count. */
export async function startCollector(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${Number(port)}`, stop: () => void child.kill() };
}
