import { constants, sign } from "node:crypto";
import { type SnsFields, type SnsSigner, signed, snsFields } from "../../test/sns-signer.ts";
import { seededRandom } from "../seeded-random.ts";

export interface Forgery {
  name: string;
  text: string;
  /** The genuine message. A forgery that parses to the same message is harmless. */
  original: string;
}

export interface ForgeryMaterial {
  /** The key of SNS, for messages with a valid signature and wrong content. */
  sns: SnsSigner;
  attacker: SnsSigner;
  origin: string;
  topicArn: string;
  /** Topics of others, whose messages SNS signs with the same key. */
  otherTopics: string[];
  hostileUrls: string[];
}

type Pick = <Item>(items: readonly Item[]) => Item;
type Make = (material: ForgeryMaterial, genuine: SnsFields, random: () => number, pick: Pick) => object | string;

export const genuineKinds = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];
const signedNames = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

/** Every message type of SNS, with and without a subject, some with texts that look like signed lines. */
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

/** The same seed gives the same methods at the same positions. */
export function createForgeries(material: ForgeryMaterial, genuine: SnsFields[], seed: number): () => Forgery {
  const random = seededRandom(seed);
  const pick: Pick = (items) => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("the list to choose from is empty");
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

const methods: Record<string, Make> = {
  "flip a bit of the text": (_, genuine, random) => flipBit(JSON.stringify(genuine), random),
  "flip a bit of a signed value": (_, genuine, random, pick) => {
    const name = pick(signedNames.filter((candidate) => genuine[candidate] !== undefined));
    return { ...genuine, [name]: flipBit(genuine[name] ?? "", random) };
  },
  "flip a bit of the signature": (_, genuine, random) => {
    const bytes = Buffer.from(genuine.Signature ?? "", "base64");
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return { ...genuine, Signature: bytes.toString("base64") };
  },
  "encode the signature differently": (_, genuine, __, pick) => {
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
  "swap two values": (_, genuine, __, pick) => {
    const names = Object.keys(genuine).filter((name) => name !== "UnsubscribeURL");
    const one = pick(names);
    const other = pick(names.filter((name) => name !== one));
    return { ...genuine, [one]: genuine[other], [other]: genuine[one] };
  },
  "remove a value": (_, genuine, __, pick) => {
    const { [pick(Object.keys(genuine).filter((name) => name !== "UnsubscribeURL"))]: _gone, ...rest } = genuine;
    return rest;
  },
  "change the type of a value": (_, genuine, __, pick) => {
    const name = pick(Object.keys(genuine).filter((candidate) => candidate !== "UnsubscribeURL"));
    return { ...genuine, [name]: pick([null, 0, 2, true, [], [genuine[name]], {}]) };
  },
  "repeat a name": (_, genuine, __, pick) => {
    const name = pick(signedNames.filter((candidate) => genuine[candidate] !== undefined));
    return `${JSON.stringify(genuine).slice(0, -1)},${JSON.stringify(name)}:"x"}`;
  },
  "use the signature of another message": (material, genuine, random) => {
    const other = snsFields(genuine.Type ?? "", material.topicArn, {
      Message: `{"eventType":"Bounce","n":${random()}}`,
    });
    const { Signature = "", SigningCertURL = "" } = genuine;
    return { ...other, SignatureVersion: "2", Signature, SigningCertURL };
  },
  "change the message type": (_, genuine, __, pick) => ({
    ...genuine,
    Type: pick([...genuineKinds, "notification", "Notification ", "", "Raw"].filter((type) => type !== genuine.Type)),
  }),
  "add an unsigned subject": (_, genuine) =>
    genuine.Type === "Notification" ? { ...genuine, Subject: `${genuine.Subject ?? ""}x` } : { ...genuine, Token: "x" },
  "move the end of a value into the next": (material, _, random) => {
    const text = `{"eventType":"Bounce","n":${random()}}`;
    const made = signed(
      material.sns,
      material.origin,
      snsFields("Notification", material.topicArn, { Message: `${text}\nMessageId\nx` }),
    );
    return { ...made, Message: text, MessageId: `x\nMessageId\n${made.MessageId}` };
  },
  "turn the end of the text into a subject": (material, _, random) => {
    const text = `{"eventType":"Bounce","n":${random()}}`;
    const MessageId = `m\nSubject\ns\nMessageId\nn`;
    const made = signed(
      material.sns,
      material.origin,
      snsFields("Notification", material.topicArn, { Message: text, MessageId }),
    );
    return { ...made, MessageId: "m", Subject: "s\nMessageId\nn" };
  },
  "another topic with a valid signature": (material, genuine, _, pick) =>
    resigned(material, genuine, { TopicArn: pick(material.otherTopics) }),
  "an old or future time with a valid signature": (material, genuine, random) => {
    const awayMs = 3_700_000 + random() * 1e10;
    return resigned(material, genuine, {
      Timestamp: new Date(Date.now() + (random() < 0.5 ? -awayMs : awayMs)).toISOString(),
    });
  },
  "an invalid time with a valid signature": (material, genuine, _, pick) =>
    resigned(material, genuine, {
      Timestamp: pick(["", "now", "0", "2026", "NaN", `${Date.now()}`, "9999-99-99T99:99:99.999Z"]),
    }),
  "SHA-1 declared as SHA-1": (material, genuine) => signed(material.sns, material.origin, genuine, "1"),
  "SHA-1 declared as SHA-256": (material, genuine) => ({
    ...signed(material.sns, material.origin, genuine, "1"),
    SignatureVersion: "2",
  }),
  "SHA-256 declared as another version": (_, genuine, __, pick) => ({
    ...genuine,
    SignatureVersion: pick(["1", "", "02", "2 ", " 2", "2.0", "3", "٢", "１"]),
  }),
  "PSS in place of PKCS 1": (material, genuine) => {
    const key = { key: material.sns.key, padding: constants.RSA_PKCS1_PSS_PADDING };
    return { ...genuine, Signature: sign("sha256", Buffer.from(genuine.Message ?? ""), key).toString("base64") };
  },
  "the attacker's key with the genuine certificate URL": (material, genuine) =>
    signed({ ...material.attacker, path: material.sns.path }, material.origin, genuine),
  "the attacker's key and certificate": (material, genuine, _, pick) => ({
    ...signed(material.attacker, material.origin, genuine),
    SigningCertURL: pick(material.hostileUrls),
  }),
  "a certificate from another URL": (material, genuine, _, pick) => ({
    ...genuine,
    SigningCertURL: pick(material.hostileUrls),
  }),
  "a certificate that does not exist": (material, genuine, random) => ({
    ...genuine,
    SigningCertURL: `${material.origin}/SimpleNotificationService-${Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(32, "0")}.pem`,
  }),
  "raw message without an envelope": (_, genuine) => genuine.Message ?? "",
  "raw message with envelope fields": (material, genuine) => ({
    Type: genuine.Type,
    TopicArn: material.topicArn,
    Message: genuine.Message,
  }),
  "an envelope inside an envelope": (material, genuine) => ({
    ...genuine,
    Message: JSON.stringify({ ...genuine, TopicArn: material.topicArn }),
  }),
};

/** Methods that need no new signature run more often. */
const weighted = Object.entries(methods).flatMap(([name, make]): [string, Make][] => {
  const isCheap =
    /^(flip a bit|swap two values|remove a value|change the type|a certificate|use the signature of)/.test(name);
  return Array.from({ length: isCheap ? 8 : 1 }, () => [name, make]);
});

export const forgeryMethods = Object.keys(methods);

function resigned({ sns, origin }: ForgeryMaterial, genuine: SnsFields, changes: SnsFields): SnsFields {
  return signed(sns, origin, { ...genuine, ...changes });
}

function flipBit(text: string, random: () => number): string {
  const bytes = Buffer.from(text);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return bytes.toString();
}
