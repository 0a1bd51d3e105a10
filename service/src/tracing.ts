import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { readTraceparent, type TraceParent } from "./traceparent.ts";

/**
 * Spans of OpenTelemetry. The operator loads an SDK with `node --import` (docs/traces.md). Without one this file makes no span, and a send
 * keeps the trace of its caller. Attributes are ids and outcomes, never addresses, subjects or names of accounts. A failed span has the name
 * of its error and not the message, which may quote an address.
 */

/** What a span says about the result of its work. */
export interface SpanResult {
  attributes?: Attributes;
  isError?: boolean;
}

interface Work<Result> {
  kind: keyof typeof SpanKind;
  parent: TraceParent | undefined;
  attributes: Attributes;
  describe?: (result: Result) => SpanResult;
}

export type RequestSpan = Span;

interface FlushableProvider extends TracerProvider {
  getDelegate?(): FlushableProvider;
  forceFlush?(): Promise<void>;
}

const libraryName = "postern";

/** Whether the operator loaded an SDK. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  // An SDK with its own copy of the API registers a provider of that copy.
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(libraryName) !== undefined;
}

/** The span of an HTTP request. It continues the span of an instrumentation of the operator, or else the trace of the caller. */
export function startRequestSpan(method: string, traceparent: unknown): Span {
  const active = context.active();
  const caller = trace.getSpan(active) === undefined ? readTraceparent(traceparent) : undefined;
  const options = { kind: SpanKind.SERVER, attributes: { "http.request.method": method } };
  return startSpan(method, options, caller === undefined ? active : contextOf(caller));
}

export function endRequestSpan(span: Span, answer: { name: string; status: number; attributes: Attributes }): void {
  const { name, status, attributes } = answer;
  span.updateName(name);
  endSpan(span, { attributes: { ...attributes, "http.response.status_code": status }, isError: status >= 500 });
}

export function parentOf(span: Span): TraceParent {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

/** Runs work that creates sends. It gets what they keep: its own span, or without an SDK the trace of the caller. */
export function inCreatingSpan<Result>(
  name: string,
  { kind, parent, attributes, describe }: Work<Result>,
  work: (kept: TraceParent | undefined) => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return work(parent);
  const within = parent === undefined ? context.active() : contextOf(parent);
  return runIn(startSpan(name, { kind: SpanKind[kind], attributes }, within), describe, work);
}

/** Runs work on a send that was accepted earlier, in a span of its trace. Without a trace there is no span. */
export function inLaterSpan<Result>(
  name: string,
  { kind, parent, attributes, describe }: Work<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (parent === undefined || !isTracing()) return work();
  return runIn(startSpan(name, laterOptions(kind, parent, attributes), contextOf(parent)), describe, work);
}

/** A span of work that has ended and that many sends shared, in the trace of one of them. Times are in milliseconds since 1970. */
export function recordLaterSpan(
  name: string,
  { kind, parent, attributes }: Work<never> & { parent: TraceParent },
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): void {
  const options = { ...laterOptions(kind, parent, attributes), startTime: startedAt };
  startSpan(name, options, contextOf(parent)).end(endedAt);
}

/** Exports the spans that the SDK has buffered. */
export async function flushSpans(): Promise<void> {
  // The interface of the API lacks both methods: `getDelegate` is of its own provider, of any copy, and `forceFlush` of the SDK.
  const provider = trace.getTracerProvider() as FlushableProvider;
  await (provider.getDelegate?.() ?? provider).forceFlush?.();
}

/** The conventions for messaging ask for a link, because a batch has many parents, and permit the parent beside it for a single message. */
function laterOptions(kind: keyof typeof SpanKind, parent: TraceParent, attributes: Attributes): SpanOptions {
  return { kind: SpanKind[kind], attributes, links: [{ context: spanContextOf(parent) }] };
}

function startSpan(name: string, options: SpanOptions, parent: Context): Span {
  return trace.getTracer(libraryName).startSpan(name, options, parent);
}

async function runIn<Result>(
  span: Span,
  describe: ((result: Result) => SpanResult) | undefined,
  work: (own: TraceParent) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await context.with(trace.setSpan(context.active(), span), () => work(parentOf(span)));
    endSpan(span, describe?.(result) ?? {});
    return result;
  } catch (error) {
    const type = error instanceof Error ? error.name : "unknown";
    endSpan(span, { attributes: { "error.type": type }, isError: true });
    throw error;
  }
}

function endSpan(span: Span, { attributes = {}, isError = false }: SpanResult): void {
  span.setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function contextOf(parent: TraceParent): Context {
  return trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}

function spanContextOf({ traceId, spanId, isSampled }: TraceParent): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}
