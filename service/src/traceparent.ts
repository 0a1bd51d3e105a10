/** The span to which other spans belong. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Nobody exports the spans of a trace that is not sampled. */
  isSampled: boolean;
}

const longestHeader = 512;
const sampledFlag = 1;
const traceIdBytes = 16;

/** Reads a `traceparent` header of the W3C. A header in any other form is ignored, as that standard asks: it is never an error. */
export function readTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== "string" || header.length > longestHeader) return undefined;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header);
  const [, version, traceId = "", spanId = "", flags = "", rest] = match ?? [];
  if (version === undefined || version === "ff") return undefined;
  // Only later versions of the standard may append fields.
  if (version === "00" && rest !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

/** As `sends.trace_context` stores it; undefined for a trace that is not sampled, because its later spans would be dropped. */
export function storedTrace(parent: TraceParent | undefined): Buffer | undefined {
  return parent?.isSampled === true ? Buffer.from(parent.traceId + parent.spanId, "hex") : undefined;
}

export function readStoredTrace(stored: Buffer): TraceParent {
  return {
    traceId: stored.toString("hex", 0, traceIdBytes),
    spanId: stored.toString("hex", traceIdBytes),
    isSampled: true,
  };
}
