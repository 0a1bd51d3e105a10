// Exports the spans of Postern by OTLP over HTTP. Node loads it before Postern: docs/traces.md says how.
import { isMainThread } from "node:worker_threads";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

// Threads load this file as well, and make no spans.
if (isMainThread) {
  const provider = new NodeTracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
    resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
    // OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS. The buffer is bounded: while the collector does not answer, spans are lost.
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
}
