import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A span as OTLP over HTTP carries it in JSON. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  service: string;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
}

type Attributes = { key: string; value: Value }[];

interface Export {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, "attributes" | "links"> & {
        attributes?: Attributes;
        links?: ReceivedSpan["links"];
        status?: { code?: number };
      })[];
    }[];
  }[];
}

const errorCode = 2;

export interface OtlpReceiver {
  url: string;
  spans(): ReceivedSpan[];
  /** Everything that arrived, as text. */
  received(): string;
  close(): void;
}

/** A receiver of traces. With `hangs` it reads exports and never answers them. */
export async function startOtlpReceiver({ hangs = false } = {}): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const isTraces = request.method === "POST" && request.url === "/v1/traces";
        if (isTraces) bodies.push(body);
        if (!hangs) response.writeHead(isTraces ? 200 : 404, { "content-type": "application/json" }).end("{}");
      },
      () => undefined, // A process that is killed breaks off its request.
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => bodies.flatMap((body) => spansOf(JSON.parse(body))),
    received: () => bodies.join("\n"),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes = [], links = [], status, ...span }) => ({
        ...span,
        attributes: valuesOf(attributes),
        links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
        isError: status?.code === errorCode,
        service: String(valuesOf(resource.attributes)["service.name"]),
      })),
    ),
  );
}

function valuesOf(attributes: Attributes): ReceivedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  );
}
