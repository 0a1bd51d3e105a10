import { createHmac } from "node:crypto";

/**
 * The header `webhook-signature` of an attempt, in the format of Standard Webhooks: one signature for each valid secret, so that a receiver
 * with the old secret and one with the new secret both accept it. `timestamp` is in whole seconds.
 */
export function signNotification(secrets: readonly Buffer[], id: string, timestamp: number, body: string): string {
  if (secrets.length === 0) throw new Error("a notification needs at least one secret to sign with");
  if (!Number.isSafeInteger(timestamp)) throw new Error(`${timestamp} is not a time in whole seconds`);
  const signedContent = `${id}.${timestamp}.${body}`;
  return secrets.map((secret) => `v1,${createHmac("sha256", secret).update(signedContent).digest("base64")}`).join(" ");
}
