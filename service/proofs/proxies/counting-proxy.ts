import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingProxy {
  url: string;
  /** The arrival time of each control request (every request except SendEmail), in milliseconds. */
  arrivals: number[];
  /** The number of control requests that the provider throttled. */
  throttled(): number;
  close(): Promise<void>;
}

/** A proxy in front of the provider that records arrivals, because only the provider's view shows whether the budget is kept. */
export async function startCountingProxy(targetUrl: string): Promise<CountingProxy> {
  const arrivals: number[] = [];
  let throttled = 0;
  const server = createServer((incoming, outgoing) => {
    const isControl = incoming.url?.startsWith("/v2/email/") === true && incoming.url !== "/v2/email/outbound-emails";
    if (isControl) arrivals.push(performance.now());
    const forward = request(new URL(incoming.url ?? "/", targetUrl), {
      method: incoming.method,
      headers: incoming.headers,
    });
    forward.on("response", (answer) => {
      if (isControl && answer.statusCode === 429) throttled++;
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forward.on("error", () => outgoing.destroy());
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    throttled: () => throttled,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The highest number of arrivals within any one second. */
export function mostInASecond(arrivals: number[]): number {
  return Math.max(0, ...arrivals.map((start) => arrivals.filter((at) => at >= start && at < start + 1000).length));
}
