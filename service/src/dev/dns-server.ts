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

interface DnsServer {
  /** `ip:port`, over UDP. */
  address: string;
  close(): void;
}

interface Zone {
  /** The TXT values that prove the ownership of a domain; empty for a domain that no account has registered. */
  findProofs(domainName: string): Promise<string[]>;
  /** The zone in which the provider publishes its DKIM keys. */
  dkimZone: string;
}

/** Answers as if every registered domain had published the records that Postern and SES ask for. */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    void answer(zone, message).then((bytes) => {
      if (bytes !== undefined) socket.send(bytes, port, address, () => undefined);
    });
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

async function answer(zone: Zone, message: Buffer): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  if (question === undefined) return undefined;
  try {
    const records = await recordsAt(zone, question.name);
    const asked = records.filter(({ type }) => type === question.type);
    return writeAnswer(question, records.length === 0 ? nameError : noError, asked);
  } catch {
    return writeAnswer(question, serverFailure, []);
  }
}

async function recordsAt({ findProofs, dkimZone }: Zone, name: string): Promise<Answer[]> {
  const [, token] = /^([a-z0-9]+)\._domainkey\./.exec(name) ?? [];
  if (token !== undefined) return [{ type: recordTypes.CNAME, data: nameData(`${token}.${dkimZone}`) }];
  const [, domainName] = /^_postern-challenge\.(.+)$/.exec(name) ?? [];
  if (domainName === undefined) return [];
  const proofs = await findProofs(domainName);
  return proofs.map((proof) => ({ type: recordTypes.TXT, data: textData(proof) }));
}
