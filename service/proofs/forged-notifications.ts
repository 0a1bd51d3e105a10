import { constants, sign } from "node:crypto";
import { type SnsFields, type SnsSigner, signed, snsFields } from "../test/sns-signer.ts";

export interface Forgery {
  name: string;
  text: string;
  /** What it was made from; to be read as this is no forgery. */
  original: string;
}

export interface ForgeryMaterial {
  /** SNS itself: for messages that are rightly signed and wrong in what they say. */
  sns: SnsSigner;
  stranger: SnsSigner;
  origin: string;
  topicArn: string;
  /** Not for these, although SNS signs their messages too. */
  otherTopics: string[];
  hostileUrls: string[];
}

type Pick = <Item>(items: readonly Item[]) => Item;
type Make = (material: ForgeryMaterial, genuine: SnsFields, random: () => number, pick: Pick) => object | string;

export const genuineKinds = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];
const signedNames = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

/** Every kind of message that SNS sends, with and without a subject, some with texts that look like signed lines. */
export function genuineMessages({ sns, origin, topicArn }: ForgeryMaterial, count: number): SnsFields[] {
  const event = JSON.stringify({ eventType: "Bounce", mail: { messageId: "m-1" }, note: 'ü "quoted" \\ text' });
  const texts = [event, `${event}\nMessageId\n00000000-0000-0000-0000-000000000000`, "plain", `${event}\nSubject\nx`];
  return Array.from({ length: count }, (_, index) => {
    const type = genuineKinds[index % genuineKinds.length] ?? "";
    const Message = texts[Math.floor(index / 3) % texts.length] ?? "";
    const subject: SnsFields =
      type === "Notification" && index % 2 === 0 ? { Subject: "Amazon SES Email Event Notification" } : {};
    return signed(sns, origin, snsFields(type, topicArn, { Message, ...subject }));
  });
}

/** The same seed gives the same tricks on the same places. */
export function createForgeries(material: ForgeryMaterial, genuine: SnsFields[], seed: number): () => Forgery {
  const random = seededRandom(seed);
  const pick: Pick = (items) => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
  return () => {
    const [name, make] = pick(weighted);
    const base = pick(genuine);
    const original = JSON.stringify(base);
    const made = make(material, base, random, pick);
    return { name, text: typeof made === "string" ? made : JSON.stringify(made), original };
  };
}

const tricks: Record<string, Make> = {
  "a bit of the text": (_, genuine, random) => flipBit(JSON.stringify(genuine), random),
  "a bit of a signed value": (_, genuine, random, pick) => {
    const name = pick(signedNames.filter((candidate) => genuine[candidate] !== undefined));
    return { ...genuine, [name]: flipBit(genuine[name] ?? "", random) };
  },
  "a bit of the signature": (_, genuine, random) => {
    const bytes = Buffer.from(genuine.Signature ?? "", "base64");
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return { ...genuine, Signature: bytes.toString("base64") };
  },
  "the signature spelt in another way": (_, genuine, __, pick) => {
    const { Signature = "" } = genuine;
    const padded = Buffer.concat([Buffer.of(0), Buffer.from(Signature, "base64")]).toString("base64");
    const spellings = [
      Signature.replaceAll("=", ""),
      `${Signature}=`,
      `${Signature}AAAA`,
      ` ${Signature}`,
      `${Signature}\n`,
      Signature.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "."),
      Signature.slice(0, -4),
      padded,
      "",
      "A".repeat(344),
    ];
    return { ...genuine, Signature: pick(spellings) };
  },
  "two values swapped": (_, genuine, __, pick) => {
    const names = Object.keys(genuine).filter((name) => name !== "UnsubscribeURL");
    const one = pick(names);
    const other = pick(names.filter((name) => name !== one));
    return { ...genuine, [one]: genuine[other], [other]: genuine[one] };
  },
  "a value left out": (_, genuine, __, pick) => {
    const { [pick(Object.keys(genuine).filter((name) => name !== "UnsubscribeURL"))]: _gone, ...rest } = genuine;
    return rest;
  },
  "a value of another kind": (_, genuine, __, pick) => {
    const name = pick(Object.keys(genuine).filter((candidate) => candidate !== "UnsubscribeURL"));
    return { ...genuine, [name]: pick([null, 0, 2, true, [], [genuine[name]], {}]) };
  },
  "a name twice": (_, genuine, __, pick) => {
    const name = pick(signedNames.filter((candidate) => genuine[candidate] !== undefined));
    return `${JSON.stringify(genuine).slice(0, -1)},${JSON.stringify(name)}:"x"}`;
  },
  "the signature of another message": (material, genuine, random) => {
    const other = snsFields(genuine.Type ?? "", material.topicArn, {
      Message: `{"eventType":"Bounce","n":${random()}}`,
    });
    const { Signature = "", SigningCertURL = "" } = genuine;
    return { ...other, SignatureVersion: "2", Signature, SigningCertURL };
  },
  "another type": (_, genuine, __, pick) => ({
    ...genuine,
    Type: pick([...genuineKinds, "notification", "Notification ", "", "Raw"].filter((type) => type !== genuine.Type)),
  }),
  "a subject that was not signed": (_, genuine) =>
    genuine.Type === "Notification" ? { ...genuine, Subject: `${genuine.Subject ?? ""}x` } : { ...genuine, Token: "x" },
  "an end moved into the next value": (material, _, random) => {
    const text = `{"eventType":"Bounce","n":${random()}}`;
    const made = signed(
      material.sns,
      material.origin,
      snsFields("Notification", material.topicArn, { Message: `${text}\nMessageId\nx` }),
    );
    return { ...made, Message: text, MessageId: `x\nMessageId\n${made.MessageId}` };
  },
  "a subject made of the text's end": (material, _, random) => {
    const text = `{"eventType":"Bounce","n":${random()}}`;
    const MessageId = `m\nSubject\ns\nMessageId\nn`;
    const made = signed(
      material.sns,
      material.origin,
      snsFields("Notification", material.topicArn, { Message: text, MessageId }),
    );
    return { ...made, MessageId: "m", Subject: "s\nMessageId\nn" };
  },
  "another topic, rightly signed": (material, genuine, _, pick) =>
    resigned(material, genuine, { TopicArn: pick(material.otherTopics) }),
  "an old or a future one, rightly signed": (material, genuine, random) => {
    const awayMs = 3_700_000 + random() * 1e10;
    return resigned(material, genuine, {
      Timestamp: new Date(Date.now() + (random() < 0.5 ? -awayMs : awayMs)).toISOString(),
    });
  },
  "a time that is none, rightly signed": (material, genuine, _, pick) =>
    resigned(material, genuine, {
      Timestamp: pick(["", "now", "0", "2026", "NaN", `${Date.now()}`, "9999-99-99T99:99:99.999Z"]),
    }),
  "SHA-1 that says so": (material, genuine) => signed(material.sns, material.origin, genuine, "1"),
  "SHA-1 that says it is SHA-256": (material, genuine) => ({
    ...signed(material.sns, material.origin, genuine, "1"),
    SignatureVersion: "2",
  }),
  "SHA-256 that says another version": (_, genuine, __, pick) => ({
    ...genuine,
    SignatureVersion: pick(["1", "", "02", "2 ", " 2", "2.0", "3", "٢", "１"]),
  }),
  "PSS instead of PKCS 1": (material, genuine) => {
    const key = { key: material.sns.key, padding: constants.RSA_PKCS1_PSS_PADDING };
    return { ...genuine, Signature: sign("sha256", Buffer.from(genuine.Message ?? ""), key).toString("base64") };
  },
  "a stranger's key behind the right address": (material, genuine) =>
    signed({ ...material.stranger, path: material.sns.path }, material.origin, genuine),
  "a stranger's key and certificate": (material, genuine, _, pick) => ({
    ...signed(material.stranger, material.origin, genuine),
    SigningCertURL: pick(material.hostileUrls),
  }),
  "a certificate from elsewhere": (material, genuine, _, pick) => ({
    ...genuine,
    SigningCertURL: pick(material.hostileUrls),
  }),
  "a certificate that does not exist": (material, genuine, random) => ({
    ...genuine,
    SigningCertURL: `${material.origin}/SimpleNotificationService-${Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(32, "0")}.pem`,
  }),
  "raw, without an envelope": (_, genuine) => genuine.Message ?? "",
  "raw with the names of an envelope": (material, genuine) => ({
    Type: genuine.Type,
    TopicArn: material.topicArn,
    Message: genuine.Message,
  }),
  "an envelope in an envelope": (material, genuine) => ({
    ...genuine,
    Message: JSON.stringify({ ...genuine, TopicArn: material.topicArn }),
  }),
};

/** Tricks that cost no signature are played more often. */
const weighted = Object.entries(tricks).flatMap(([name, make]): [string, Make][] => {
  const isCheap = /^(a bit|two values|a value|a certificate|the signature of)/.test(name);
  return Array.from({ length: isCheap ? 8 : 1 }, () => [name, make]);
});

export const trickNames = Object.keys(tricks);

function resigned({ sns, origin }: ForgeryMaterial, genuine: SnsFields, changes: SnsFields): SnsFields {
  return signed(sns, origin, { ...genuine, ...changes });
}

function flipBit(text: string, random: () => number): string {
  const bytes = Buffer.from(text);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return bytes.toString();
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
