import { createSocket } from "node:dgram";
import { afterAll } from "vitest";

const types: Record<number, string> = { 5: "CNAME", 15: "MX" };

/** A DNS server on loopback: `records["name CNAME"] = "target"`. With `failing` it answers SERVFAIL. */
export async function aDnsServer() {
  const records: Record<string, string> = {};
  const behaviour = { failing: false };
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const known = Object.keys(records).some((key) => key.startsWith(`${name} `));
    const value = records[`${name} ${types[type]}`];
    const code = behaviour.failing ? 2 : known ? 0 : 3;
    const answer = value === undefined || behaviour.failing ? Buffer.alloc(0) : answerOf(type, value);
    const header = Buffer.from([
      query[0] ?? 0,
      query[1] ?? 0,
      0x85,
      0x80 | code,
      0,
      1,
      0,
      answer.length > 0 ? 1 : 0,
      0,
      0,
      0,
      0,
    ]);
    socket.send(Buffer.concat([header, query.subarray(12, end), answer]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  afterAll(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, records, behaviour };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString("latin1", offset + 1, offset + 1 + length).toLowerCase());
    offset += length + 1;
  }
  return { name: labels.join("."), type: query.readUInt16BE(offset + 1), end: offset + 5 };
}

/** The name of the answer is a pointer to the name of the question. */
function answerOf(type: number, value: string): Buffer {
  const labels = value.split(".").flatMap((label) => [Buffer.of(label.length), Buffer.from(label)]);
  const target = Buffer.concat([...labels, Buffer.of(0)]);
  const data = type === 15 ? Buffer.concat([Buffer.of(0, 10), target]) : target;
  return Buffer.concat([Buffer.of(0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length), data]);
}
