import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

export interface Exchange {
  method: string;
  path: string;
  hasCredential: boolean;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a mutation changes any field
  body: any;
}

export interface Mutation {
  /** Answers instead of the API, which does not receive the request. */
  intercept?: (request: Pick<Exchange, "method" | "path">) => Pick<Exchange, "status" | "body"> | undefined;
  /** Changes the answer of the API. */
  change?: (exchange: Exchange) => void;
}

/** One fault of a deployment. The suite must fail exactly the requirements in `broken`. */
export interface MutationCase extends Mutation {
  fault: string;
  broken: string[];
  /** Related requirements that must still pass. */
  unaffected: string[];
}

/** Starts a proxy in front of an API that applies one mutation. */
export async function startBreakingProxy(target: string, { intercept, change }: Mutation) {
  const server = createServer((request, response) => {
    const { method = "", url: path = "" } = request;
    void (async () => {
      const intercepted = intercept?.({ method, path });
      const { headers, ...answer } =
        intercepted === undefined ? await forward(target, request) : { headers: {}, ...intercepted };
      const hasCredential = request.headers.authorization !== undefined || request.headers["x-api-key"] !== undefined;
      const exchange = { method, path, hasCredential, ...answer };
      if (intercepted === undefined) change?.(exchange);
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

const forwardedHeaders = ["authorization", "x-api-key", "content-type", "idempotency-key"];

async function forward(target: string, request: IncomingMessage) {
  const body = await text(request);
  const headers = forwardedHeaders.flatMap((name) => {
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
