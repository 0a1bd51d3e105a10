import { isInNetwork, type Network, parseNetwork } from "./address-bytes.ts";

/** The special-purpose registries of IANA, and addresses that reach the machine or its cloud although no registry lists them. */
const ipv4Ranges = {
  "0.0.0.0/8": "this network",
  "10.0.0.0/8": "private use",
  "100.64.0.0/10": "shared address space of providers",
  "127.0.0.0/8": "loopback",
  "168.63.129.16/32": "platform address of Azure",
  "169.254.0.0/16": "link-local, with the metadata services of clouds",
  "172.16.0.0/12": "private use",
  "192.0.0.0/24": "IETF protocol assignments",
  "192.0.2.0/24": "documentation",
  "192.31.196.0/24": "AS112",
  "192.52.193.0/24": "AMT",
  "192.88.99.0/24": "6to4 relays",
  "192.168.0.0/16": "private use",
  "192.175.48.0/24": "AS112",
  "198.18.0.0/15": "benchmarks",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "255.255.255.255/32": "broadcast",
  "240.0.0.0/4": "reserved",
};

/** Within 2000::/3, the only block with public addresses. */
const ipv6RangesOfUnicast = {
  "2001::/32": "Teredo",
  "2001::/23": "IETF protocol assignments",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4",
  "2620:4f:8000::/48": "AS112",
  "3ffe::/16": "former 6bone",
  "3fff::/20": "documentation",
};

/** Only for the name in a refusal: all addresses outside 2000::/3 are refused. */
const otherIpv6Ranges = {
  "::/128": "unspecified",
  "::1/128": "loopback",
  "::ffff:0:0/96": "IPv4-mapped",
  "::/96": "IPv4-compatible",
  "64:ff9b::/96": "NAT64",
  "64:ff9b:1::/48": "local NAT64",
  "100::/64": "discard",
  "5f00::/16": "segment routing",
  "fc00::/7": "unique local",
  "fe80::/10": "link-local",
  "fec0::/10": "site-local",
  "ff00::/8": "multicast",
  "::/0": "outside 2000::/3, the block of public addresses",
};

interface SpecialRange {
  network: Network;
  text: string;
}

const globalUnicast = networkOf("2000::/3");
const specialRanges = {
  ipv4: rangesOf(ipv4Ranges),
  unicast: rangesOf(ipv6RangesOfUnicast),
  other: rangesOf(otherIpv6Ranges),
};

/** Names the range of an address (4 or 16 bytes) that is not public unicast, such as "private use (10.0.0.0/8)". Undefined: it is public. */
export function specialRangeOf(address: Uint8Array): string | undefined {
  const ranges = rangesFor(address);
  return ranges.find(({ network }) => isInNetwork(address, network))?.text;
}

function rangesFor(address: Uint8Array): SpecialRange[] {
  if (address.length === 4) return specialRanges.ipv4;
  if (address.length !== 16) throw new Error("an address has 4 or 16 bytes");
  return isInNetwork(address, globalUnicast) ? specialRanges.unicast : specialRanges.other;
}

function rangesOf(table: Record<string, string>): SpecialRange[] {
  return Object.entries(table).map(([cidr, name]) => ({ network: networkOf(cidr), text: `${name} (${cidr})` }));
}

function networkOf(cidr: string): Network {
  const network = parseNetwork(cidr);
  if (network === undefined) throw new Error(`${cidr} is not a CIDR`);
  return network;
}
