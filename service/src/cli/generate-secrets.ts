import { randomBytes } from "node:crypto";

/** Lines for a .env file. */
export function secretsBlock(): string {
  const lines = Object.entries(newSecrets()).map(([name, value]) => `${name}=${value}`);
  return [
    "# Store and back up these secrets. Without them, API keys, stored mail and logins stop working.",
    ...lines,
  ].join("\n");
}

/** Each secret starts with a key id: the date, for people, and a random suffix that makes it unique. */
export function newSecrets(): Record<string, string> {
  const id = `k${new Date().toISOString().slice(0, 10).replaceAll("-", "")}-${randomBytes(2).toString("hex")}`;
  const names = ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"];
  return Object.fromEntries(names.map((name) => [name, `${id}:${randomBytes(32).toString("base64url")}`]));
}
