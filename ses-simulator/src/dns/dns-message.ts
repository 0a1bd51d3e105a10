/** The subset of the DNS message format (RFC 1035) for one question and its answers. */
export const recordTypes = { CNAME: 5, MX: 15, TXT: 16 };
/** The types that every zone answers, whatever is published. */
export const zoneTypes = { A: 1, NS: 2, SOA: 6 };

export interface Question {
  id: number;
  /** In lower case, without the trailing dot. */
  name: string;
  type: number;
  /** The question section as received; the answer repeats it. */
  bytes: Buffer;
}

export interface Answer {
  /** Undefined: the name in the question. */
  name?: string;
  type: number;
  data: Buffer;
}

const headerBytes = 12;
const isResponse = 0x8000;
const isAuthoritative = 0x0400;
const isRecursive = 0x0180;
export const noError = 0;
export const serverFailure = 2;
export const nameError = 3;

/** Returns undefined unless the message holds exactly one question. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < headerBytes + 5 || message.readUInt16BE(4) !== 1 || (message.readUInt16BE(2) & isResponse) !== 0)
    return undefined;
  const labels: string[] = [];
  let at = headerBytes;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63 || at + 1 + length > message.length) return undefined;
    at += 1 + length;
    if (length === 0) break;
    labels.push(message.toString("latin1", at - length, at));
  }
  if (at + 4 > message.length) return undefined;
  const bytes = message.subarray(headerBytes, at + 4);
  return { id: message.readUInt16BE(0), name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at), bytes };
}

export function writeAnswer(question: Question, code: number, answers: Answer[], authorities: Answer[] = []): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(question.id, 0);
  header.writeUInt16BE(isResponse | isAuthoritative | isRecursive | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt16BE(authorities.length, 8);
  return Buffer.concat([header, question.bytes, ...answers.map(record), ...authorities.map(record)]);
}

/** Its TTL is 0, so that resolvers see a change immediately. */
function record({ name, type, data }: Answer): Buffer {
  const pointerToQuestion = Buffer.of(0xc0, headerBytes);
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([name === undefined ? pointerToQuestion : nameData(name), head, data]);
}

export function textData(text: string): Buffer {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, index) =>
    bytes.subarray(index * 255, (index + 1) * 255),
  );
  return Buffer.concat(chunks.flatMap((chunk) => [Buffer.of(chunk.length), chunk]));
}

export function nameData(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(label, "latin1"));
  return Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)]);
}

/** The form of a zone file: the preference, then the name of the mail server. */
export function mailServerData(value: string): Buffer {
  const [preference, server = ""] = value.trim().split(/\s+/);
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(Number(preference) & 0xffff);
  return Buffer.concat([bytes, nameData(server.replace(/\.$/, ""))]);
}

/** Every time is 0: resolvers and secondary servers keep nothing, not even the absence of a record. */
export function startOfAuthorityData(nameServer: string, zone: string): Buffer {
  return Buffer.concat([nameData(nameServer), nameData(`hostmaster.${zone}`), Buffer.alloc(20)]);
}
