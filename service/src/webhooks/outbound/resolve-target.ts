import { isIP, isIPv4 } from "node:net";
import type { DnsResolver } from "../../domains/dns-resolver.ts";
import type { Network } from "./address-bytes.ts";
import { classifyTarget, howToAllow, type TargetAddress } from "./target-address.ts";

/**
 * Queries DNS itself. The lookup of the system would use its few threads, and one customer with a slow name server could occupy them all.
 * The resolver limits the time of each query.
 */
export type AddressResolver = Pick<DnsResolver, "findAddresses">;

export type Target = { addresses: TargetAddress[] } | { failure: string };

/**
 * The addresses of a host, if the account may connect to every one of them. A name with one other address is refused as a whole: an answer
 * that mixes them is an attack or a mistake.
 */
export async function resolveTarget(
  resolver: AddressResolver,
  host: string,
  allowed: readonly Network[],
): Promise<Target> {
  const found = isIP(host) === 0 ? await findAddresses(resolver, host) : [host];
  if ("failure" in found) return found;
  const targets = alternateFamilies(found).map((address) => classifyTarget(address, allowed));
  const refused = targets.find((target) => "range" in target);
  // Without the address: the resolver may know names that only the operator should see.
  if (refused !== undefined)
    return { failure: `${host} has an address that is not public: ${refused.range}. ${howToAllow}` };
  return { addresses: targets.filter((target) => "text" in target) };
}

async function findAddresses(resolver: AddressResolver, name: string): Promise<string[] | { failure: string }> {
  const answer = await resolver.findAddresses(name);
  switch (answer.kind) {
    case "records":
      return answer.values;
    case "absent":
      return { failure: `DNS has no address for ${name}.` };
    case "unanswered":
      return { failure: `DNS did not answer the query for the address of ${name} (${answer.reason}).` };
  }
}

/** IPv4 first, then one of each: one family may have no route from here. */
function alternateFamilies(addresses: string[]): string[] {
  const ipv4 = addresses.filter((address) => isIPv4(address));
  const ipv6 = addresses.filter((address) => !isIPv4(address));
  const longest = Math.max(ipv4.length, ipv6.length);
  return Array.from({ length: longest }, (_, index) => [ipv4[index], ipv6[index]])
    .flat()
    .filter((address) => address !== undefined);
}
