import type { ReceivedSpan } from "./otlp-receiver.ts";

/** A trace as a tree in text: start after the first span, duration, service, name, and what the span says. */
export function describeTrace(spans: ReceivedSpan[]): string {
  const sorted = spans.toSorted((one, other) => startOf(one) - startOf(other));
  const [first] = sorted;
  if (first === undefined) return "no span";
  const known = new Set(sorted.map(({ spanId }) => spanId));
  const line = (span: ReceivedSpan, depth: number): string[] => {
    const times = `${ms(startOf(span) - startOf(first))} ${ms(endOf(span) - startOf(span))}`;
    const name = `${"  ".repeat(depth)}${span.name}`.padEnd(26);
    const facts = Object.entries(span.attributes).map(([key, value]) => `${key.replace("postern.", "")}=${value}`);
    const children = sorted.filter(({ parentSpanId }) => parentSpanId === span.spanId);
    return [
      `${times}  ${span.service.padEnd(15)} ${name} ${facts.toSorted().join(" ")}`.trimEnd(),
      ...children.flatMap((child) => line(child, depth + 1)),
    ];
  };
  const roots = sorted.filter(({ parentSpanId }) => !known.has(parentSpanId ?? ""));
  const head = `trace ${first.traceId}, ${spans.length} spans, caller's span ${roots[0]?.parentSpanId ?? "none"}`;
  return [head, "      start  duration", ...roots.flatMap((root) => line(root, 0))].join("\n");
}

const startOf = ({ startTimeUnixNano }: ReceivedSpan) => Number(BigInt(startTimeUnixNano) / 1000n) / 1000;
const endOf = ({ endTimeUnixNano }: ReceivedSpan) => Number(BigInt(endTimeUnixNano) / 1000n) / 1000;

function ms(value: number): string {
  return `${value.toFixed(1)} ms`.padStart(11);
}
