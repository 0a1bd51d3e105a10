import { createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { bitString, explicit, integer, nullValue, objectIdentifier, sequence, setOf, utcTime, utf8 } from "./der.ts";

const sha256WithRsa = sequence(objectIdentifier("1.2.840.113549.1.1.11"), nullValue());
const commonName = objectIdentifier("2.5.4.3");
const years = 20;

/** A self-signed X.509 v3 certificate in PEM. Node can read certificates but cannot create them. */
export function selfSignedCertificate(key: KeyObject, name: string, from: Date): string {
  const until = new Date(from);
  until.setUTCFullYear(from.getUTCFullYear() + years);
  const subject = sequence(setOf(sequence(commonName, utf8(name))));
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    // The leading 1 keeps the serial number positive and not zero.
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    sha256WithRsa,
    subject,
    sequence(utcTime(from), utcTime(until)),
    subject,
    createPublicKey(key).export({ type: "spki", format: "der" }),
  );
  const certificate = sequence(body, sha256WithRsa, bitString(sign("sha256", body, key)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
