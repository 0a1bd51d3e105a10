import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";
import { isSameName } from "../dns-resolver.ts";

export interface DnsQuestion {
  name: string;
  type: "TXT" | "CNAME" | "MX" | "SOA" | "NS" | "A" | "AAAA";
}

export interface DnsServerAddress {
  host: string;
  port: number;
}

interface ExchangeOptions {
  /** Resolvers recurse; a name server of a zone answers only for its zone. */
  isRecursive: boolean;
  signal: AbortSignal;
}

type Accept = (bytes: Buffer) => DecodedPacket | undefined;

const maxMs = 1500;
/** UDP loses packets; the server gets the same question up to three times. */
const repeatMs = 500;
/** Larger UDP answers would be fragmented on the way. A server sends the rest over TCP. */
const maxUdpBytes = 1232;

/**
 * Asks one server one question, over UDP and again over TCP when the answer is truncated. Returns undefined when no valid answer arrives
 * within 1.5 seconds. A packet with another id or question, or one that is not DNS, may be forged: the wait goes on.
 */
export async function exchangeMessage(
  server: DnsServerAddress,
  question: DnsQuestion,
  { isRecursive, signal }: ExchangeOptions,
): Promise<DecodedPacket | undefined> {
  const id = randomInt(65_536);
  const message = encode({
    type: "query",
    id,
    flags: isRecursive ? RECURSION_DESIRED : 0,
    questions: [{ ...question, class: "IN" }],
    additionals: [
      {
        type: "OPT",
        name: ".",
        udpPayloadSize: maxUdpBytes,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
  const accept: Accept = (bytes) => acceptAnswer(bytes, id, question);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  const answer = await overUdp(server, message, accept, deadline);
  return answer?.flag_tc ? overTcp(server, message, accept, deadline) : answer;
}

function acceptAnswer(bytes: Buffer, id: number, question: DnsQuestion): DecodedPacket | undefined {
  try {
    const packet = decode(bytes);
    const [asked, ...more] = packet.questions ?? [];
    const isAnswer = packet.flag_qr && packet.id === id && more.length === 0;
    return isAnswer && asked?.type === question.type && isSameName(asked.name, question.name) ? packet : undefined;
  } catch {
    return undefined;
  }
}

function overUdp({ host, port }: DnsServerAddress, message: Buffer, accept: Accept, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<DecodedPacket | undefined>();
  if (signal.aborted) return Promise.resolve(undefined);
  const giveUp = () => resolve(undefined);
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  const send = () => socket.send(message, () => undefined);
  let repeat: NodeJS.Timeout | undefined;
  socket.on("error", giveUp);
  socket.on("message", (bytes) => {
    const packet = accept(bytes);
    if (packet !== undefined) resolve(packet);
  });
  // A connected socket takes packets of this server only.
  socket.connect(port, host, () => {
    send();
    repeat = setInterval(send, repeatMs);
  });
  signal.addEventListener("abort", giveUp, { once: true });
  return promise.finally(() => {
    clearInterval(repeat);
    signal.removeEventListener("abort", giveUp);
    socket.close();
  });
}

function overTcp({ host, port }: DnsServerAddress, message: Buffer, accept: Accept, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<DecodedPacket | undefined>();
  if (signal.aborted) return Promise.resolve(undefined);
  const giveUp = () => resolve(undefined);
  const socket = connect(port, host);
  const chunks: Buffer[] = [];
  socket.on("error", giveUp);
  socket.on("close", giveUp);
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    const received = Buffer.concat(chunks);
    const end = received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE(0);
    if (received.length >= end) resolve(accept(received.subarray(2, end)));
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  socket.write(Buffer.concat([length, message]));
  signal.addEventListener("abort", giveUp, { once: true });
  return promise.finally(() => {
    signal.removeEventListener("abort", giveUp);
    socket.destroy();
  });
}
