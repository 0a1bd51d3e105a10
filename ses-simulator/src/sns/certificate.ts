import { createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { bitString, explicit, integer, nothing, objectIdentifier, sequence, setOf, utcTime, utf8 } from "./der.ts";

const sha256WithRsa = sequence(objectIdentifier("1.2.840.113549.1.1.11"), nothing());
const commonName = objectIdentifier("2.5.4.3");
const years = 20;

/** A self-signed X.509 v3 certificate in PEM. Node can read certificates but not make them. */
export function selfSignedCertificate(key: KeyObject, name: string, from: Date): string {
  const until = new Date(from);
  until.setUTCFullYear(from.getUTCFullYear() + years);
  const holder = sequence(setOf(sequence(commonName, utf8(name))));
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    // The highest bit stays clear and the number is never zero.
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    sha256WithRsa,
    holder,
    sequence(utcTime(from), utcTime(until)),
    holder,
    createPublicKey(key).export({ type: "spki", format: "der" }),
  );
  const certificate = sequence(body, sha256WithRsa, bitString(sign("sha256", body, key)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
