import { randomBytes } from "node:crypto";

/** A block to paste into .env. */
export function secretsBlock(): string {
  const lines = Object.entries(newSecrets()).map(([name, value]) => `${name}=${value}`);
  return ["# Keep these safe and backed up: without them keys, stored mail and logins are lost.", ...lines].join("\n");
}

/** The ids carry the day for people, and a random part so that two never share one. */
export function newSecrets(): Record<string, string> {
  const id = `k${new Date().toISOString().slice(0, 10).replaceAll("-", "")}-${randomBytes(2).toString("hex")}`;
  const names = ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"];
  return Object.fromEntries(names.map((name) => [name, `${id}:${randomBytes(32).toString("base64url")}`]));
}
