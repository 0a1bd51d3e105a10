import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

export interface Exchange {
  method: string;
  path: string;
  hasCredential: boolean;
  status: number;
  contentType: string;
  // biome-ignore lint/suspicious/noExplicitAny: a mutation changes any field
  body: any;
}

export interface Mutation {
  /** Answers instead of the API, which does not receive the request. */
  intercept?: (request: Pick<Exchange, "method" | "path">) => Pick<Exchange, "status" | "body"> | undefined;
  /** Sends another path or body to the API. `change` receives the path of the caller. */
  rewritePath?: (path: string) => string;
  rewriteBody?: (body: string) => string;
  /** Changes the answer of the API, or delays it. */
  change?: (exchange: Exchange) => unknown;
}

/** One fault of a deployment. The suite must fail exactly the requirements in `broken`. */
export interface MutationCase extends Mutation {
  fault: string;
  broken: string[];
  /** Related requirements that must still pass. */
  unaffected: string[];
  /** The run gets an account with verified domains, and the simulator. */
  isLive?: true;
}

/** Starts a proxy in front of an API that applies one mutation. */
export async function startBreakingProxy(target: string, { intercept, rewritePath, rewriteBody, change }: Mutation) {
  const server = createServer((request, response) => {
    const { method = "", url: path = "" } = request;
    void (async () => {
      const intercepted = intercept?.({ method, path });
      const { headers, ...answer } =
        intercepted === undefined
          ? await forward(`${target}${rewritePath?.(path) ?? path}`, request, rewriteBody)
          : { headers: {}, ...intercepted };
      const hasCredential = request.headers.authorization !== undefined || request.headers["x-api-key"] !== undefined;
      const exchange: Exchange = { method, path, hasCredential, contentType: "application/json", ...answer };
      if (intercepted === undefined) await change?.(exchange);
      response.writeHead(exchange.status, { ...headers, "content-type": exchange.contentType });
      const isFile = typeof exchange.body === "string" || Buffer.isBuffer(exchange.body);
      response.end(isFile ? exchange.body : JSON.stringify(exchange.body));
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
const returnedHeaders = [
  "cache-control",
  "content-disposition",
  "content-security-policy",
  "retry-after",
  "x-content-type-options",
];

async function forward(url: string, request: IncomingMessage, rewriteBody = (body: string) => body) {
  const body = rewriteBody(await text(request));
  const headers = forwardedHeaders.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  const response = await fetch(url, {
    method: request.method ?? "GET",
    headers,
    ...(body !== "" && { body }),
  });
  const type = response.headers.get("content-type") ?? "";
  const answered = Buffer.from(await response.arrayBuffer());
  // An export is text, an attachment has any bytes.
  const isJson = type.startsWith("application/json");
  return {
    status: response.status,
    contentType: isJson ? "application/json" : type,
    body: isJson ? JSON.parse(answered.toString()) : answered,
    headers: Object.fromEntries([...response.headers].filter(([name]) => returnedHeaders.includes(name))),
  };
}
