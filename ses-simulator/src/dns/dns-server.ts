import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  type Answer,
  nameData,
  nameError,
  noError,
  readQuestion,
  recordTypes,
  serverFailure,
  textData,
  writeAnswer,
} from "./dns-message.ts";

export interface DnsRecord {
  type: keyof typeof recordTypes;
  value: string;
}

export interface DnsServer {
  /** `ip:port`, over UDP. */
  address: string;
  close(): void;
}

interface DnsOptions {
  /** 0, the default, selects a free port. */
  port?: number;
  host?: string;
  /** All records of a name, which is in lower case and without a final dot. */
  recordsOf(name: string): DnsRecord[] | Promise<DnsRecord[]>;
}

/** A DNS server for TXT and CNAME records. It answers SERVFAIL when `recordsOf` throws. */
export async function startDnsServer({ port = 0, host = "127.0.0.1", recordsOf }: DnsOptions): Promise<DnsServer> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  let isOpen = true;
  socket.on("message", (message, from) => {
    // Nobody listens at port 0; it is the mark of a forged packet.
    if (from.port === 0) return;
    void answer(recordsOf, message).then((bytes) => {
      if (bytes !== undefined && isOpen) socket.send(bytes, from.port, from.address, () => undefined);
    });
  });
  socket.bind(port, host);
  await once(socket, "listening");
  // Such as an answer that the network refuses; the client asks again.
  socket.on("error", () => undefined);
  const shownHost = host.includes(":") ? `[${host}]` : host;
  const close = () => {
    isOpen = false;
    socket.close();
  };
  return { address: `${shownHost}:${socket.address().port}`, close };
}

async function answer(recordsOf: DnsOptions["recordsOf"], message: Buffer): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  if (question === undefined) return undefined;
  try {
    const records = await recordsOf(question.name);
    const asked = records.filter(({ type }) => recordTypes[type] === question.type).map(toAnswer);
    return writeAnswer(question, records.length === 0 ? nameError : noError, asked);
  } catch {
    return writeAnswer(question, serverFailure, []);
  }
}

function toAnswer({ type, value }: DnsRecord): Answer {
  return { type: recordTypes[type], data: type === "TXT" ? textData(value) : nameData(value) };
}
