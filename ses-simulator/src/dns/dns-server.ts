import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  type Answer,
  mailServerData,
  nameData,
  nameError,
  noError,
  type Question,
  readQuestion,
  recordTypes,
  serverFailure,
  startOfAuthorityData,
  textData,
  writeAnswer,
  zoneTypes,
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

/**
 * A DNS server for TXT, CNAME and MX records. It answers SERVFAIL when `recordsOf` throws. It acts as a resolver and as the name server of
 * every zone at once: the zone of a name is its last two labels, and its name server is `ns.<zone>` at the address of this server.
 */
export async function startDnsServer({ port = 0, host = "127.0.0.1", recordsOf }: DnsOptions): Promise<DnsServer> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  let isOpen = true;
  socket.on("message", (message, from) => {
    // Nobody listens at port 0; it is the mark of a forged packet.
    if (from.port === 0) return;
    void answer(recordsOf, message, host).then((bytes) => {
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

async function answer(recordsOf: DnsOptions["recordsOf"], message: Buffer, host: string): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  if (question === undefined) return undefined;
  try {
    const records = await recordsOf(question.name);
    const answers = [...records.map(toAnswer), ...zoneAnswers(question, host)];
    const asked = answers.filter(({ type }) => type === question.type);
    const code = records.length + asked.length === 0 ? nameError : noError;
    const soa = { name: zoneOf(question), type: zoneTypes.SOA, data: soaData(zoneOf(question)) };
    return writeAnswer(question, code, asked, asked.length === 0 ? [soa] : []);
  } catch {
    return writeAnswer(question, serverFailure, []);
  }
}

function toAnswer({ type, value }: DnsRecord): Answer {
  const data = { TXT: textData, CNAME: nameData, MX: mailServerData }[type](value);
  return { type: recordTypes[type], data };
}

/** The records of the zone itself and of its name server. */
function zoneAnswers(question: Question, host: string): Answer[] {
  const zone = zoneOf(question);
  if (question.name === zone) {
    return [
      { type: zoneTypes.SOA, data: soaData(zone) },
      { type: zoneTypes.NS, data: nameData(`ns.${zone}`) },
    ];
  }
  if (question.name !== `ns.${zone}` || host.includes(":")) return [];
  return [{ type: zoneTypes.A, data: Buffer.from(host.split(".").map(Number)) }];
}

function soaData(zone: string): Buffer {
  return startOfAuthorityData(`ns.${zone}`, zone);
}

function zoneOf({ name }: Question): string {
  return name.split(".").slice(-2).join(".");
}
