import { hash, randomBytes } from "node:crypto";

/** The secret of a link in a mail: 256 random bits, so that guessing needs no throttle. The database stores its hash only. */
export function makeMailedToken(): { text: string; hash: Buffer } {
  const text = randomBytes(32).toString("base64url");
  return { text, hash: hashOfToken(text) };
}

export function hashOfToken(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** The token is in the fragment: browsers send it to no server, and no proxy writes it to a log. */
export function linkWithToken(publicUrl: string, purpose: "invitation" | "reset", token: string): string {
  return `${publicUrl}/${purpose === "reset" ? "reset-password" : "invitation"}#token=${token}`;
}

/** Sends through the account of SYSTEM_SENDER. False when the mail was not accepted or its recipient is suppressed. */
export type SendSystemMail = (mail: { to: string; subject: string; text: string }) => Promise<boolean>;
