/** Addresses that no webhook may reach: of every special range, and those at which clouds give credentials. */
export const hostileIpv4 = [
  ["0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"],
  ["168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1"],
  ["192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.175.48.1", "198.18.0.1", "198.19.255.255"],
  ["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.254", "255.255.255.255"],
].flat();

export const hostileIpv6 = [
  ["::", "::1", "::2", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::127.0.0.1"],
  ["64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "100:0:0:1::1", "1fff::1", "2001::1", "2001:0:7f00:1::", "2001:1::1"],
  ["2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff::1", "2001:db8::1"],
  ["2002:7f00:1::", "2002:808:808::1", "2620:4f:8000::1", "3ffe::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1"],
  ["fc00::1", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "ffff::1"],
].flat();

/** Every spelling of an IPv4 address that URL parsing, or a resolver behind it, could understand. */
export function spellingsOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = number.toString(16).padStart(8, "0");
  const [high, low] = [hex.slice(0, 4), hex.slice(4)];
  const each = (write: (byte: number) => string) => [a, b, c, d].map(write).join(".");
  const inIpv6 = [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:FFFF:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
    `fe80::5efe:${address}`,
  ];
  return [
    address,
    `${address}.`,
    `${number}`,
    `${number}.`,
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${number.toString(8)}`,
    `0000${number.toString(8)}`,
    each((byte) => `0${byte.toString(8)}`),
    each((byte) => `0x${byte.toString(16)}`),
    each((byte) => `0x000${byte.toString(16)}`),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${a.toString(16)}.${b}.0${(c * 256 + d).toString(8)}`,
    address.replaceAll(/\d/g, (digit) => `%3${digit}`),
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll(".", "\u3002"),
    address.replaceAll(".", "\uff0e"),
    address.replaceAll(".", "%2e"),
    ...inIpv6.map((spelling) => `[${spelling}]`),
  ];
}

/** URLs that look like another host than the one they lead to, or that carry more than a host. `goal` is where the attacker wants to get. */
export function trickyAuthorities(goal: string, decoy: string): string[] {
  return [
    `user@${goal}`,
    `user:password@${goal}`,
    `${decoy}@${goal}`,
    `${decoy}:443@${goal}`,
    `${decoy}%40${goal}`,
    `${decoy}\\@${goal}`,
    `${decoy}#@${goal}`,
    `${decoy}?@${goal}`,
    `${goal}#${decoy}`,
    `${goal}?${decoy}`,
    `${goal}\\.${decoy}`,
    `${goal}%00.${decoy}`,
    `${goal}%0d%0a.${decoy}`,
    ` ${goal}`,
    `\t${goal}`,
    `${goal}\n`,
    `\u00ad${goal}`,
    `${goal}\u200b`,
    `/${goal}`,
    `//${goal}`,
    `\\\\${goal}`,
    `@${goal}`,
    `:@${goal}`,
    `[${goal}]`,
  ];
}

export const localNames = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "localhost.localdomain",
  "ip6-localhost",
  "intranet",
  "metadata",
  "metadata.google.internal",
  "host.docker.internal",
  "kubernetes.default.svc",
  "127.0.0.1.nip.io",
  "[fe80::1%25lo]",
  "[::1%251]",
  "[::1",
  "0",
  "00",
  "0x",
  "127.1",
  "",
];
