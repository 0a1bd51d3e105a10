import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(argon2);

/** OWASP's first recommendation for argon2id (2025): 19 MiB, two passes, one lane. */
const memoryKib = 19_456;
const passes = 2;
const lanes = 1;

/** The hash contains its cost parameters, so raising them keeps existing passwords valid. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await deriveTag(password, salt, { memoryKib, passes, lanes });
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (match === null) throw new Error("a stored password hash is not in the argon2id format");
  const [, m, t, p, salt = "", tag = ""] = match;
  const cost = { memoryKib: Number(m), passes: Number(t), lanes: Number(p) };
  const derived = await deriveTag(password, Buffer.from(salt, "base64"), cost);
  return timingSafeEqual(derived, Buffer.from(tag, "base64"));
}

/** 120 random bits, in groups that a person can type. */
export function generatePassword(): string {
  const groups = randomBytes(15).toString("hex").match(/.{6}/g) ?? [];
  return groups.join("-");
}

function deriveTag(password: string, nonce: Buffer, cost: { memoryKib: number; passes: number; lanes: number }) {
  return derive("argon2id", {
    message: Buffer.from(password.normalize("NFKC")),
    nonce,
    parallelism: cost.lanes,
    tagLength: 32,
    memory: cost.memoryKib,
    passes: cost.passes,
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
