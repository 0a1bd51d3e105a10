import { BlockList, isIPv6 } from "node:net";
import type { DnsServerAddress } from "./exchange-message.ts";

/** Where to ask the name server with this IP address. Undefined: Postern does not ask it. */
export type ReachServer = (address: string) => DnsServerAddress | undefined;

const dnsPort = 53;

/**
 * The owner of a domain chooses the addresses of its name servers, so an address of an internal network could make Postern ask servers
 * that only it can reach. Only public addresses are asked, and the resolvers of Postern itself, which answer for internal zones.
 */
export function reachServer(resolvers: DnsServerAddress[]): ReachServer {
  return (address) => {
    const ownResolver = resolvers.find(({ host }) => host === address);
    if (ownResolver !== undefined) return ownResolver;
    return isPublic(address) ? { host: address, port: dnsPort } : undefined;
  };
}

export function isPublic(address: string): boolean {
  if (!isIPv6(address)) return !notPublic.check(address, "ipv4");
  return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/** IANA's special-purpose addresses, multicast and reserved ones, and IPv6 ranges that contain an IPv4 address. */
const notPublic = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]) {
  const [network = "", prefix] = range.split("/");
  notPublic.addSubnet(network, Number(prefix), isIPv6(network) ? "ipv6" : "ipv4");
}
