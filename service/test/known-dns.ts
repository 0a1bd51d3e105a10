import type { DnsResolver } from "../src/domains/dns-resolver.ts";

/** An in-memory resolver, for proofs that need thousands of names and do not test DNS itself. */
export function aKnownDns(): { resolver: DnsResolver; publishTxt(name: string, ...values: string[]): void } {
  const texts = new Map<string, string[]>();
  const absent = { kind: "absent" } as const;
  return {
    publishTxt: (name, ...values) => void texts.set(name, values),
    resolver: {
      findTxt: async (name) => {
        const values = texts.get(name) ?? [];
        return values.length === 0 ? absent : { kind: "records", values, chunks: values.map((value) => [value]) };
      },
      findCname: async () => absent,
      findAddresses: async () => absent,
    },
  };
}
