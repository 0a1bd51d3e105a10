import type { Dice } from "../../service/proofs/seeded-random.ts";
import { FaultProxy } from "./fault-proxy.ts";

/** The connections between processes. The provider has two edges, because SES and SQS fail independently. */
export const edges = ["client-api", "api-postgres", "worker-postgres", "worker-ses", "worker-sqs"] as const;
export type Edge = (typeof edges)[number];

export interface Network {
  /** Returns the address that replaces `url` for traffic of this edge. */
  route(edge: Edge, url: string): Promise<string>;
  proxiesOf(edge: Edge): FaultProxy[];
  close(): void;
}

/** No proxies: all traffic is direct. */
export const plainNetwork: Network = {
  route: async (_edge, url) => url,
  proxiesOf: () => [],
  close: () => undefined,
};

/** Routes every connection of the cell through a proxy that can break it. */
export function createFaultyNetwork(dice: Dice): Network {
  const proxies = new Map<Edge, FaultProxy[]>(edges.map((edge) => [edge, []]));
  return {
    async route(edge, url) {
      const target = new URL(url);
      const proxy = new FaultProxy(Number(target.port), dice);
      proxies.get(edge)?.push(proxy);
      target.port = String(await proxy.listen());
      return target.href.replace(/\/$/, "");
    },
    proxiesOf: (edge) => proxies.get(edge) ?? [],
    close() {
      for (const proxy of [...proxies.values()].flat()) proxy.close();
    },
  };
}
