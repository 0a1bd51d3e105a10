import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

export interface Exchange {
  method: string;
  path: string;
  /** Whether a credential came with the request. */
  isSigned: boolean;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a mutation breaks whatever it finds
  body: any;
}

export interface Mutation {
  /** Answers instead of the API, which hears nothing of the request. */
  withhold?: (asked: Pick<Exchange, "method" | "path">) => Pick<Exchange, "status" | "body"> | undefined;
  /** Changes the answer of the API. */
  change?: (exchange: Exchange) => void;
}

/** Stands in front of an API and does one thing wrong. */
export async function startBreakingProxy(target: string, { withhold, change }: Mutation) {
  const server = createServer((request, response) => {
    const { method = "", url: path = "" } = request;
    void (async () => {
      const withheld = withhold?.({ method, path });
      const { headers, ...answer } = withheld === undefined ? await ask(target, request) : { headers: {}, ...withheld };
      const isSigned = request.headers.authorization !== undefined || request.headers["x-api-key"] !== undefined;
      const exchange = { method, path, isSigned, ...answer };
      if (withheld === undefined) change?.(exchange);
      response.writeHead(exchange.status, { ...headers, "content-type": "application/json" });
      response.end(JSON.stringify(exchange.body));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const passedOn = ["authorization", "x-api-key", "content-type", "idempotency-key"];

async function ask(target: string, request: IncomingMessage) {
  const body = await text(request);
  const headers = passedOn.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  const response = await fetch(`${target}${request.url}`, {
    method: request.method ?? "GET",
    headers,
    ...(body !== "" && { body }),
  });
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    body: JSON.parse(await response.text()),
    headers: retryAfter === null ? {} : { "retry-after": retryAfter },
  };
}
