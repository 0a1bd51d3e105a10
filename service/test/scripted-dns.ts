import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type Answer, decode, encode, type Packet, type Question } from "dns-packet";

/** The answer to a question. Undefined: none. Bytes are sent as they are. */
export type Script = (question: Question, query: Packet) => Partial<Packet> | Partial<Packet>[] | Buffer | undefined;

interface ScriptedDns {
  host: string;
  port: number;
  address: string;
  /** `TXT name` for each query over UDP, `tcp TXT name` over TCP. */
  queries: string[];
  close(): void;
}

export const flags = { authoritative: 0x0400, truncated: 0x0200, recursive: 0x0180, nameError: 3, serverFailure: 2 };

/** A DNS server that answers what the test wants, also wrongly. */
export async function startScriptedDns(script: Script, overTcp: Script = script): Promise<ScriptedDns> {
  const queries: string[] = [];
  const tcp = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      const query = decode(bytes.subarray(2));
      const [answer] = answersTo(query, overTcp, queries, "tcp ");
      if (answer === undefined) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    });
  }).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo; // a TCP server has no path
  const udp = createSocket("udp4");
  udp.on("message", (bytes, from) => {
    for (const answer of answersTo(decode(bytes), script, queries)) udp.send(answer, from.port, from.address);
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  const close = () => {
    udp.close();
    tcp.close();
  };
  return { host: "127.0.0.1", port, address: `127.0.0.1:${port}`, queries, close };
}

function answersTo(query: Packet, script: Script, queries: string[], prefix = ""): Buffer[] {
  const [question] = query.questions ?? [];
  if (question === undefined) return [];
  queries.push(`${prefix}${question.type} ${question.name}`);
  const answers = script(question, query);
  if (answers === undefined) return [];
  if (Buffer.isBuffer(answers)) return [answers];
  return [answers].flat().map((answer) =>
    encode({
      type: "response",
      id: query.id,
      questions: [question],
      ...answer,
      flags: answer.flags ?? flags.authoritative | flags.recursive,
    }),
  );
}

export function txt(name: string, data: string, ttl = 300): Answer {
  return { type: "TXT", name, ttl, data };
}

export function soa(name: string, ttl: number, minimum: number): Answer {
  return { type: "SOA", name, ttl, data: { mname: `ns.${name}`, rname: `h.${name}`, serial: 1, minimum } };
}
