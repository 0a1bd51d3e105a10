import { createHash, createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { selfSignedCertificate } from "./certificate.ts";

export interface SigningIdentity {
  key: KeyObject;
  certificate: string;
  /** The URL path of the certificate, in the format of SNS. */
  path: string;
}

/** Key and certificate survive restarts, because receivers cache the certificate by its URL. */
export async function loadSigningIdentity(folder: string): Promise<SigningIdentity> {
  const path = join(folder, "signing-identity.json");
  if (!existsSync(path)) await createSigningIdentity(path);
  const stored: { key: string; certificate: string } = JSON.parse(readFileSync(path, "utf8"));
  const digest = createHash("sha256").update(stored.certificate).digest("hex").slice(0, 32);
  return {
    key: createPrivateKey(stored.key),
    certificate: stored.certificate,
    path: `/SimpleNotificationService-${digest}.pem`,
  };
}

async function createSigningIdentity(path: string): Promise<void> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  // The certificate is valid from yesterday, so that a receiver whose clock is slow accepts it.
  const certificate = selfSignedCertificate(privateKey, "sns.amazonaws.com", new Date(Date.now() - 86_400_000));
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(`${path}.next`, JSON.stringify({ key, certificate }), { mode: 0o600 });
  renameSync(`${path}.next`, path);
}
