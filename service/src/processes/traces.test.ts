import { fileURLToPath } from "node:url";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { type FeedbackCell, killProcess, withFeedbackCell } from "../../proofs/cell/feedback-cell.ts";
import { makeSenders, senderDomain } from "../../proofs/sends/sending-client.ts";
import { until } from "../../proofs/until.ts";
import { aLoopbackEndpoint, loopbackSettings, startLoopbackReceiver } from "../../proofs/webhooks/loopback-receiver.ts";
import { describeTrace } from "../../test/describe-trace.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../../test/otlp-receiver.ts";
import { spawnPostern } from "../../test/spawn-postern.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readConfig } from "../config.ts";

const database = useTestDatabase();
vi.setConfig({ testTimeout: 90_000 });

const instrumentation = fileURLToPath(new URL("../../../deploy/tracing/instrumentation.mjs", import.meta.url));
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpanId = "00f067aa0ba902b7";
const otherTraceId = "a3ce929d0e0e47364bf92f3577b34da6";

test("one trace shows a send from the HTTP request to its webhooks", async () => {
  await withTracedCell(async ({ cell, otlp, mail, webhooks, stop }) => {
    const { id } = await mail({ traceparent: `00-${traceId}-${callerSpanId}-01` });
    const unsampled = await mail({ traceparent: `00-${otherTraceId}-${callerSpanId}-00` });
    const fresh = await mail({ traceparent: "hostile" });
    await until("the webhooks of sent and delivered", 60, async () => webhooks().length >= 6);
    await stop();
    const all = otlp.spans();
    const spans = all.filter((span) => span.traceId === traceId);
    process.stdout.write(`${describeTrace(spans)}\n`);
    expectWholeTrace(spans, id);
    expect(one(spans, "POST /api/v1/send").parentSpanId).toBe(callerSpanId);

    // The caller decides that a trace is not sampled.
    expect(all.filter((span) => span.traceId === otherTraceId)).toEqual([]);
    expect(otlp.received()).not.toContain(unsampled.id);

    // A request without a valid trace begins one.
    const begun = all.find(({ attributes }) => attributes["postern.send.id"] === fresh.id)?.traceId;
    const ofFresh = all.filter((span) => span.traceId === begun);
    expectWholeTrace(ofFresh, fresh.id);
    expect(one(ofFresh, "POST /api/v1/send").parentSpanId ?? "").toBe("");

    expect(otlp.received()).toContain(id);
    const [account] = await cell.db.query<{ name: string }>({ name: "a-name", text: "select name from accounts" });
    for (const secret of ["jane", "example.io", "Quarterly", senderDomain(0), "/hooks", account?.name ?? ""]) {
      expect(secret).not.toBe("");
      expect(otlp.received()).not.toContain(secret);
    }
  });
});

test("a collector that does not answer delays the end of a process by two seconds", async () => {
  const otlp = await startOtlpReceiver({ hangs: true });
  onTestFinished(() => otlp.close());
  const environment = anEnvironment({ DATABASE_URL: database.url, LOG_LEVEL: "info" });
  const api = await spawnPostern("api", { ...environment, ...tracingSettings("api", otlp) });
  onTestFinished(() => killProcess(api));
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  api.kill("SIGTERM");
  expect(await api.exited).toEqual({ code: 0, signal: null });
  expect(otlp.spans().map(({ name }) => name)).toEqual(["GET /healthz"]);
  const [stopping, late] = ["api.stopping", "traces.not-exported"].map((event) =>
    api.logs().find((line) => line.event === event),
  );
  expect(Date.parse(String(late?.time)) - Date.parse(String(stopping?.time))).toBeLessThan(10_000);
});

function expectWholeTrace(spans: ReceivedSpan[], sendId: string): void {
  const [request, accept] = [one(spans, "POST /api/v1/send"), one(spans, "accept")];
  expect(request).toMatchObject({
    service: "postern-api",
    attributes: { "http.route": "/api/v1/send", "http.response.status_code": 202 },
  });
  expect(accept).toMatchObject({ parentSpanId: request.spanId, attributes: { "postern.send.id": sendId } });
  const later = spans.filter((span) => span !== request && span !== accept);
  for (const span of later) {
    expect(span).toMatchObject({
      parentSpanId: accept.spanId,
      links: [{ traceId: accept.traceId, spanId: accept.spanId }],
      service: "postern-worker",
      isError: false,
      attributes: { "postern.send.id": sendId },
    });
  }
  expect(later.map(({ name }) => name).toSorted()).toEqual(
    ["claim", "submit", "settle", "feedback", "feedback", "webhook", "webhook"].toSorted(),
  );
  expect(one(spans, "submit").attributes).toMatchObject({ "postern.outcome": "accepted", "postern.attempt": 1 });
  expect(one(spans, "settle").attributes).toMatchObject({ "postern.status": "sent" });
  expect(factsOf(spans, "feedback", "postern.feedback.kind")).toEqual(["delivery", "send"]);
  expect(factsOf(spans, "webhook", "postern.notification.type")).toEqual(["send.delivered", "send.sent"]);
}

interface Traced {
  cell: FeedbackCell;
  otlp: OtlpReceiver;
  mail(headers: Record<string, string>): Promise<{ id: string }>;
  webhooks(): string[];
  /** Ends both processes, which exports their last spans. */
  stop(): Promise<void>;
}

function tracingSettings(role: string, { url }: OtlpReceiver) {
  return {
    NODE_OPTIONS: `--import=${instrumentation}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_SERVICE_NAME: `postern-${role}`,
  };
}

async function withTracedCell(work: (traced: Traced) => Promise<void>): Promise<void> {
  const otlp = await startOtlpReceiver();
  onTestFinished(() => otlp.close());
  const arrived: string[] = [];
  const receiver = await startLoopbackReceiver(({ id }, response) => {
    arrived.push(id);
    response.writeHead(204).end();
  });
  onTestFinished(() => receiver.close());
  await withFeedbackCell(inject("serverUrl"), { verifiedIdentities: [senderDomain(0)] }, async (cell) => {
    const [sender] = await makeSenders(cell.db, cell, 1);
    if (sender === undefined) expect.fail("no sender");
    const contentKeys = readConfig(cell.environment).secrets.contentKey;
    const types = ["send.sent", "send.delivered"] as const;
    await aLoopbackEndpoint(cell.db, { accountId: sender.accountId, contentKeys, types, url: receiver.url });
    const start = (role: "api" | "worker") => cell.start(role, { ...loopbackSettings, ...tracingSettings(role, otlp) });
    const processes = [await start("worker"), await start("api")];
    const url = processes[1]?.url ?? "";
    await work({
      cell,
      otlp,
      webhooks: () => arrived,
      async mail(headers) {
        const body = { from: sender.from, to: ["jane@example.io"], subject: "Quarterly figures", text: "Hi Jane" };
        const answer = await fetch(`${url}/api/v1/send`, {
          method: "POST",
          headers: { "x-api-key": sender.key, "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        });
        expect(answer.status).toBe(202);
        return (await answer.json()) as { id: string };
      },
      async stop() {
        for (const { kill } of processes) kill("SIGTERM");
        for (const { exited } of processes) expect(await exited).toEqual({ code: 0, signal: null });
      },
    });
  });
}

function one(spans: ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...more] = spans.filter((each) => each.name === name);
  if (span === undefined || more.length > 0) return expect.fail(`${more.length + 1} spans ${name}, not one`);
  return span;
}

function factsOf(spans: ReceivedSpan[], name: string, attribute: string) {
  return spans
    .filter((span) => span.name === name)
    .map(({ attributes }) => String(attributes[attribute]))
    .toSorted();
}
