import { expect, test } from "vitest";
import { addressBytes } from "./address-bytes.ts";
import { specialRangeOf } from "./public-address.ts";

const rangeOf = (text: string) => specialRangeOf(addressBytes(text) ?? new Uint8Array());

test.for([
  ["0.0.0.0", "0.255.255.255", "this network (0.0.0.0/8)"],
  ["10.0.0.0", "10.255.255.255", "private use (10.0.0.0/8)"],
  ["100.64.0.0", "100.127.255.255", "shared address space of providers (100.64.0.0/10)"],
  ["127.0.0.0", "127.255.255.255", "loopback (127.0.0.0/8)"],
  ["168.63.129.16", "168.63.129.16", "platform address of Azure (168.63.129.16/32)"],
  ["169.254.0.0", "169.254.255.255", "link-local, with the metadata services of clouds (169.254.0.0/16)"],
  ["172.16.0.0", "172.31.255.255", "private use (172.16.0.0/12)"],
  ["192.0.0.0", "192.0.0.255", "IETF protocol assignments (192.0.0.0/24)"],
  ["192.0.2.0", "192.0.2.255", "documentation (192.0.2.0/24)"],
  ["192.31.196.0", "192.31.196.255", "AS112 (192.31.196.0/24)"],
  ["192.52.193.0", "192.52.193.255", "AMT (192.52.193.0/24)"],
  ["192.88.99.0", "192.88.99.255", "6to4 relays (192.88.99.0/24)"],
  ["192.168.0.0", "192.168.255.255", "private use (192.168.0.0/16)"],
  ["192.175.48.0", "192.175.48.255", "AS112 (192.175.48.0/24)"],
  ["198.18.0.0", "198.19.255.255", "benchmarks (198.18.0.0/15)"],
  ["198.51.100.0", "198.51.100.255", "documentation (198.51.100.0/24)"],
  ["203.0.113.0", "203.0.113.255", "documentation (203.0.113.0/24)"],
  ["224.0.0.0", "239.255.255.255", "multicast (224.0.0.0/4)"],
  ["240.0.0.0", "255.255.255.254", "reserved (240.0.0.0/4)"],
  ["255.255.255.255", "255.255.255.255", "broadcast (255.255.255.255/32)"],
  ["::", "::", "unspecified (::/128)"],
  ["::1", "::1", "loopback (::1/128)"],
  ["::2", "::ffff:ffff", "IPv4-compatible (::/96)"],
  ["::ffff:0:0", "::ffff:255.255.255.255", "IPv4-mapped (::ffff:0:0/96)"],
  ["64:ff9b::", "64:ff9b::255.255.255.255", "NAT64 (64:ff9b::/96)"],
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "local NAT64 (64:ff9b:1::/48)"],
  ["100::", "100::ffff:ffff:ffff:ffff", "discard (100::/64)"],
  ["5f00::", "5f00:ffff::", "segment routing (5f00::/16)"],
  ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "Teredo (2001::/32)"],
  ["2001:1::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "IETF protocol assignments (2001::/23)"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation (2001:db8::/32)"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "6to4 (2002::/16)"],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "AS112 (2620:4f:8000::/48)"],
  ["3ffe::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "former 6bone (3ffe::/16)"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation (3fff::/20)"],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique local (fc00::/7)"],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local (fe80::/10)"],
  ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local (fec0::/10)"],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast (ff00::/8)"],
  ["1000::", "1fff:ffff::", "outside 2000::/3, the block of public addresses (::/0)"],
  ["4000::", "fbff::", "outside 2000::/3, the block of public addresses (::/0)"],
] as const)("%s and %s are refused, with the name of their range", ([first, last, range]) => {
  expect([rangeOf(first), rangeOf(last)]).toEqual([range, range]);
});

test.for([
  ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.1.0", "192.0.3.0", "192.31.195.255", "192.31.197.0", "192.52.192.255", "192.52.194.0"],
  ["192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "192.175.47.255", "192.175.49.0"],
  ["198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"],
  ["2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2620:4f:7fff::", "2620:4f:8001::"],
  ["2606:4700::1111", "2a00:1450::1", "3ffd:ffff::", "3fff:1000::", "3fff:ffff::"],
])("the addresses beside the ranges are public: %s …", (addresses) => {
  expect(addresses.map(rangeOf)).toEqual(addresses.map(() => undefined));
});

test("what is no address of 4 or 16 bytes is never public", () => {
  expect(() => specialRangeOf(new Uint8Array(5))).toThrow("4 or 16 bytes");
});
