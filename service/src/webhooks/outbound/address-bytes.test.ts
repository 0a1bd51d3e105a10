import { SocketAddress } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addressBytes, isInNetwork, parseNetwork } from "./address-bytes.ts";

test.for([
  ["1.2.3.4", "01020304"],
  ["255.255.255.255", "ffffffff"],
  ["::", "0".repeat(32)],
  ["::1", "1".padStart(32, "0")],
  ["2001:db8::", "20010db8".padEnd(32, "0")],
  ["2001:db8::9:1", "20010db8000000000000000000090001"],
  ["::ffff:127.0.0.1", "00000000000000000000ffff7f000001"],
  ["64:ff9b::192.0.2.33", "0064ff9b0000000000000000c0000221"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["1:2:3:4:5:6:1.2.3.4", "00010002000300040005000601020304"],
] as const)("%s has the bytes %s", ([text, hex]) => {
  expect(Buffer.from(addressBytes(text) ?? []).toString("hex")).toBe(hex);
});

test.for(["", "1.2.3", "01.2.3.4", "0x7f.1", "256.1.1.1", "fe80::1%eth0", "::1%1", "[::1]", "1::2::3", "localhost"])(
  "%j is no address",
  (text) => {
    expect(addressBytes(text)).toBeUndefined();
  },
);

test("the bytes of any IPv6 address in its shortest spelling are the bytes it was made of", () => {
  const groups = fc.array(fc.constantFrom(0, 0, 0, 1, 0xffff, 0xab0), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, (values) => {
      const full = values.map((value) => value.toString(16)).join(":");
      const { address } = new SocketAddress({ address: full, family: "ipv6" });
      const expected = values.flatMap((value) => [value >> 8, value & 0xff]);
      expect([...(addressBytes(address) ?? [])]).toEqual(expected);
      expect([...(addressBytes(new URL(`http://[${full}]/`).hostname.slice(1, -1)) ?? [])]).toEqual(expected);
    }),
  );
});

test.for([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.0.0.0/9", "10.128.0.0", false],
  ["10.0.0.7", "10.0.0.7", true],
  ["10.0.0.7", "10.0.0.6", false],
  ["0.0.0.0/0", "200.1.2.3", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "::ffff:10.0.0.7", true],
  ["::ffff:0:0/96", "10.0.0.7", false],
  ["10.0.0.0/8", "::ffff:10.0.0.7", false],
  ["fd00::/8", "fdff::1", true],
  ["2001:db8::/33", "2001:db8:8000::", false],
] as const)("%s contains %s: %s", ([network, address, expected]) => {
  const [parsed, bytes] = [parseNetwork(network), addressBytes(address)];
  expect(parsed && bytes && isInNetwork(bytes, parsed)).toBe(expected);
});

test.for([
  "10.0.0.1/8",
  "10.0.0.0/33",
  "::/129",
  "10.0.0.0/",
  "10.0.0.0/-1",
  "10.0.0.0/8/8",
  "10/8",
  "x",
  "fe80::1%1/128",
])("%s is no network", (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});
