import type { Notification } from "./api-types.ts";
import { readSecrets, type WebhookSecret } from "./webhook-secret.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** `Headers`, the headers of a Node request, or an object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyWebhookOptions {
  /** How far `webhook-timestamp` may be from the clock, in both directions. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Replaces the clock, for tests. */
  now?: Date | undefined;
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Returns the notification in the body of a request, if Postern signed it with one of the secrets; otherwise throws a
 * `WebhookVerificationError`. `body` is the body as it arrived: a parsed and rewritten body has other bytes and another signature.
 *
 * A service newer than this package may send a `type` that is not in the union.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: WebhookSecret,
  options: VerifyWebhookOptions = {},
): Promise<Notification> {
  const secrets = readSecrets(secret);
  const id = requireHeader(headers, "webhook-id");
  const timestamp = requireHeader(headers, "webhook-timestamp");
  const signatures = requireHeader(headers, "webhook-signature");
  requireRecent(timestamp, options);
  const bytes = bytesOf(body);
  await requireSignature(secrets, signedContent(`${id}.${timestamp}.`, bytes), signatures);
  return parseNotification(bytes);
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = readHeader(headers, name);
  if (!value) throw new WebhookVerificationError("missing_header", `The request has no header ${name}.`);
  return value;
}

function readHeader(headers: WebhookHeaders, name: string): string | null | undefined {
  if (hasGet(headers)) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : value?.join(" ");
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

function requireRecent(timestamp: string, { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions): void {
  if (!/^\d{1,15}$/.test(timestamp)) {
    throw new WebhookVerificationError("bad_timestamp", "The header webhook-timestamp is not a time in seconds.");
  }
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  const advice = `at most ${toleranceSeconds} seconds are allowed. Check the clock of this machine.`;
  // Negated, so that a tolerance or a clock that is not a number refuses every request.
  if (!(age <= toleranceSeconds)) {
    throw new WebhookVerificationError("too_old", `The request was signed ${age} seconds ago; ${advice}`);
  }
  if (!(-age <= toleranceSeconds)) {
    throw new WebhookVerificationError("too_new", `The request was signed ${-age} seconds in the future; ${advice}`);
  }
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  // Not `instanceof`: test runners and workers can pass arrays of another realm.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new WebhookVerificationError(
    "bad_body",
    "Pass the raw body as a string or Uint8Array. A body that a framework has parsed cannot be verified.",
  );
}

function signedContent(start: string, body: Uint8Array): Bytes {
  const first = new TextEncoder().encode(start);
  const content = new Uint8Array(first.length + body.length);
  content.set(first);
  content.set(body, first.length);
  return content;
}

/** The header has one signature for each valid secret of the endpoint, as `v1,<base64>`. Other versions are ignored. */
async function requireSignature(secrets: Bytes[], content: Bytes, header: string): Promise<void> {
  const expected = await Promise.all(secrets.map((secret) => sign(secret, content)));
  const matches = header.split(" ").flatMap((given) => expected.map((signature) => isSame(signature, given)));
  if (matches.includes(true)) return;
  throw new WebhookVerificationError(
    "no_matching_signature",
    "No signature of the request matches. Check that the secret belongs to this endpoint and that the body is passed as it arrived.",
  );
}

async function sign(secret: Bytes, content: Bytes): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, content);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

/** Takes as long for a wrong first character as for a wrong last one, so that time does not reveal the signature. */
function isSame(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}

function parseNotification(body: Uint8Array): Notification {
  const notification = parseJson(body);
  if (typeof notification?.type === "string") return notification;
  throw new WebhookVerificationError("bad_body", "The signature matches, but the body is not a notification.");
}

/** The signature proves that the service wrote the body, so the shape is not checked further. */
function parseJson(body: Uint8Array): Notification | null {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new WebhookVerificationError("bad_body", "The signature matches, but the body is not JSON.", { cause });
  }
}
