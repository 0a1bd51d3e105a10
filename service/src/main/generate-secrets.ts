import { randomBytes } from "node:crypto";

/** A block to paste into .env. The ids carry the day for people, and a random part so that two never share one. */
export function secretsBlock(): string {
  const id = `k${new Date().toISOString().slice(0, 10).replaceAll("-", "")}-${randomBytes(2).toString("hex")}`;
  const lines = ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"].map(
    (name) => `${name}=${id}:${randomBytes(32).toString("base64url")}`,
  );
  return ["# Keep these safe and backed up: without them keys, stored mail and logins are lost.", ...lines].join("\n");
}
