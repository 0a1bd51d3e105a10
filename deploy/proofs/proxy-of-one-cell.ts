import { type Haproxy, startHaproxy } from "../test/start-haproxy.ts";

/** Nothing listens there. */
const nowhere = "127.0.0.1:1";

/** HAProxy with the shipped configuration in front of the two APIs of cell AA, without a second cell. */
export function startProxyOfOneCell([first, second]: [string, string]): Promise<Haproxy> {
  return startHaproxy({
    CELL_AA_API_1: first,
    CELL_AA_API_2: second,
    CELL_AB_API_1: nowhere,
    CELL_AB_API_2: nowhere,
  });
}
