import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown> | undefined;
}

/** Handles one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

export interface ScriptedServer {
  url: string;
  requests: SeenRequest[];
  /** Closes this number of connections before the server reads a request. */
  closeNext(connections: number): void;
}

/** Starts an HTTP server that runs one step per request and repeats the last step for all further requests. */
export async function startScriptedServer(...steps: Step[]): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, path: url, headers, body: text === "" ? undefined : JSON.parse(text) };
      const step = steps[Math.min(requests.length, steps.length - 1)];
      requests.push(request);
      step?.(response, request);
    });
  });
  let connectionsToClose = 0;
  server.on("connection", (socket) => {
    if (connectionsToClose-- > 0) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const closeNext = (connections: number) => {
    connectionsToClose = connections;
  };
  return { url: `http://127.0.0.1:${address.port}`, requests, closeNext };
}

export function respond(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function respondHtml(status: number, headers: Record<string, string> = {}): Step {
  return (response) =>
    void response.writeHead(status, { "content-type": "text/html", ...headers }).end("<h1>Proxy</h1>");
}

/** Refuses like the service: header and body contain the request id of the caller. */
export function refuse(status: number, code: string, { details, retryAfter }: RefusalExtras = {}): Step {
  return (response, request) => {
    const requestId = String(request.headers["x-request-id"]);
    const error = {
      code,
      message: `The code is ${code}.`,
      request_id: requestId,
      doc_url: "http://postern.test",
      details,
    };
    const headers = { "x-request-id": requestId, ...(retryAfter !== undefined && { "retry-after": retryAfter }) };
    respond(status, { success: false, error }, headers)(response, request);
  };
}

interface RefusalExtras {
  details?: object[];
  retryAfter?: string;
}

/** Closes the connection after the request, so that the response is lost. */
export const cutConnection: Step = (response) => void response.socket?.destroy();

export const cutMidResponse: Step = (response) => {
  response.writeHead(202, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":', () => response.socket?.destroy());
};

export const neverRespond: Step = () => undefined;

export const stallMidResponse: Step = (response) => {
  response.writeHead(202, { "content-type": "application/json", "content-length": "1000" }).write('{"id":');
};

export const accepted = respond(202, {
  id: "0193f0e2-7b1c-7cc3-98c4-dc0c0c07398f",
  status: "queued",
  idempotency_key: "k",
  queued_at: "2026-11-15T09:30:00.000Z",
  idempotent: false,
});
