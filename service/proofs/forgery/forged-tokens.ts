import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";

export interface Forgery {
  name: string;
  token: string;
}

export interface ForgeryMaterial {
  /** The private key of the service, for tokens with a valid signature and wrong content. */
  genuineKey: KeyObject;
  publicKey: KeyObject;
  kid: string;
  claims: Record<string, unknown>;
  /** The claims of an open login of another account. */
  otherClaims: Record<string, unknown>;
  endedLoginId: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Every known forgery method; the API must refuse each token. */
export function forgedTokens(material: ForgeryMaterial): Forgery[] {
  return [
    ...unsigned(material),
    ...symmetric(material),
    ...attackerKeys(material),
    ...keyHints(material),
    ...wrongHeaders(material),
    ...wrongClaims(material),
    ...brokenForms(material),
  ];
}

/** A genuine token from the same code; the API must accept it. */
export function controlToken(material: ForgeryMaterial): string {
  return genuine(material, {}, material.claims);
}

function genuine(material: ForgeryMaterial, header: Record<string, unknown>, claims: unknown): string {
  const body = `${encode({ alg: "EdDSA", typ: "at+jwt", kid: material.kid, ...header })}.${encode(claims)}`;
  return `${body}.${sign(null, Buffer.from(body), material.genuineKey).toString("base64url")}`;
}

function unsigned(material: ForgeryMaterial): Forgery[] {
  return ["none", "None", "NONE", "nOnE", "", "null"].flatMap((alg) => {
    const body = `${encode({ alg, typ: "at+jwt", kid: material.kid })}.${encode(material.claims)}`;
    return [
      { name: `alg ${alg} without signature`, token: `${body}.` },
      { name: `alg ${alg} with an arbitrary signature`, token: `${body}.${Buffer.alloc(64, 1).toString("base64url")}` },
    ];
  });
}

function symmetric({ publicKey, kid, claims }: ForgeryMaterial): Forgery[] {
  const { x = "" } = publicKey.export({ format: "jwk" });
  const secrets: [string, string | Buffer][] = [
    ["raw public key", Buffer.from(x, "base64url")],
    ["public key as text", x],
    ["public key as DER", publicKey.export({ format: "der", type: "spki" })],
    ["public key as PEM", publicKey.export({ format: "pem", type: "spki" })],
    ["kid", kid],
    ["empty secret", ""],
  ];
  return secrets.flatMap(([what, secret]) =>
    ["HS256", "HS512"].map((alg) => {
      const body = `${encode({ alg, typ: "at+jwt", kid })}.${encode(claims)}`;
      const mac = createHmac(alg.replace("HS", "sha"), secret).update(body).digest("base64url");
      return { name: `${alg} with the ${what}`, token: `${body}.${mac}` };
    }),
  );
}

function attackerKeys({ kid, claims }: ForgeryMaterial): Forgery[] {
  const ed25519 = generateKeyPairSync("ed25519").privateKey;
  const ed448 = generateKeyPairSync("ed448").privateKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const signers: [string, string | null, KeyObject][] = [
    ["EdDSA", null, ed25519],
    ["Ed25519", null, ed25519],
    ["EdDSA", null, ed448],
    ["RS256", "sha256", rsa],
    ["PS256", "sha256", rsa],
    ["ES256", "sha256", ec],
  ];
  return signers.map(([alg, hash, key]) => {
    const body = `${encode({ alg, typ: "at+jwt", kid })}.${encode(claims)}`;
    return {
      name: `${alg} by the attacker's ${key.asymmetricKeyType} key`,
      token: `${body}.${sign(hash, Buffer.from(body), key).toString("base64url")}`,
    };
  });
}

function keyHints({ kid, claims }: ForgeryMaterial): Forgery[] {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const jwk = { ...publicKey.export({ format: "jwk" }), kid };
  const kids = [
    "../../etc/passwd",
    "/dev/null",
    "k' or '1'='1",
    "__proto__",
    "constructor",
    "",
    "K1",
    "k1\u0000",
    0,
    null,
  ];
  const hints: [string, Record<string, unknown>][] = [
    ["its own jwk", { jwk }],
    ["its own jwk and no kid", { jwk, kid: undefined }],
    ["a jku", { jku: "http://127.0.0.1:9/jwks.json" }],
    ["an x5u", { x5u: "http://127.0.0.1:9/cert.pem" }],
    ["an x5c", { x5c: [publicKey.export({ format: "der", type: "spki" }).toString("base64")] }],
    ["no kid", { kid: undefined }],
    ...kids.map((odd): [string, Record<string, unknown>] => [`kid ${JSON.stringify(odd)}`, { kid: odd }]),
  ];
  return hints.map(([what, header]) => {
    const body = `${encode({ alg: "EdDSA", typ: "at+jwt", kid, ...header })}.${encode(claims)}`;
    return { name: what, token: `${body}.${sign(null, Buffer.from(body), privateKey).toString("base64url")}` };
  });
}

/** From here on the signature is valid: even with the right key, no other kind of token may work. */
function wrongHeaders(material: ForgeryMaterial): Forgery[] {
  const headers: [string, Record<string, unknown>][] = [
    ["typ JWT", { typ: "JWT" }],
    ["no typ", { typ: undefined }],
    ["typ refresh", { typ: "rt+jwt" }],
    ["an unknown crit", { crit: ["urgent"], urgent: true }],
    ["crit of a registered name", { crit: ["exp"] }],
    ["an empty crit", { crit: [] }],
    ["b64 false", { b64: false, crit: ["b64"] }],
    ["another alg over an EdDSA signature", { alg: "ES256" }],
    ["the newer name of the same alg", { alg: "Ed25519" }],
  ];
  return headers.map(([what, header]) => ({ name: what, token: genuine(material, header, material.claims) }));
}

function wrongClaims(material: ForgeryMaterial): Forgery[] {
  const now = Math.floor(Date.now() / 1000);
  const changes: [string, Record<string, unknown>][] = [
    ["another iss", { iss: "http://evil.test" }],
    ["iss with an extra slash", { iss: `${String(material.claims.iss)}/` }],
    ["another aud", { aud: "someone-else" }],
    ["exp now", { exp: now }],
    ["exp a second ago", { exp: now - 1 }],
    ["exp within the clock tolerance", { exp: now - 30 }],
    ["exp zero", { exp: 0 }],
    ["exp negative", { exp: -1 }],
    ["exp as text", { exp: String(now + 600) }],
    ["exp fractional", { exp: now + 600.5 }],
    ["exp beyond the number range", { exp: 1e300 }],
    ["nbf in half a minute", { nbf: now + 30 }],
    ["nbf in two hours", { nbf: now + 7200 }],
    ["nbf as text", { nbf: "0" }],
    ["another cell", { cell: "ZZ" }],
    ["sub of another user", { sub: material.otherClaims.sub }],
    ["tenant_id of another account", { tenant_id: material.otherClaims.tenant_id }],
    ["sid of another account's login", { sid: material.otherClaims.sid }],
    ["sid of an ended login", { sid: material.endedLoginId }],
    ["sid of no login", { sid: randomUUID() }],
    ["sid that is SQL", { sid: "' or true --" }],
    ["sid as a list", { sid: [material.claims.sid] }],
    ...["iss", "aud", "sub", "exp", "iat", "jti", "sid", "tenant_id", "cell"].map(
      (name): [string, Record<string, unknown>] => [`no ${name}`, { [name]: undefined }],
    ),
  ];
  const tokens = changes.map(([what, change]) => ({
    name: what,
    token: genuine(material, {}, { ...material.claims, ...change }),
  }));
  return [
    ...tokens,
    { name: "claims that are a list", token: genuine(material, {}, [material.claims]) },
    { name: "claims that are a text", token: genuine(material, {}, "claims") },
    { name: "9 KB, genuinely signed", token: genuine(material, {}, { ...material.claims, pad: "x".repeat(9000) }) },
  ];
}

function brokenForms(material: ForgeryMaterial): Forgery[] {
  const token = genuine(material, {}, material.claims);
  const [head = "", body = "", tail = ""] = token.split(".");
  const other = genuine(material, {}, material.otherClaims).split(".");
  return [
    { name: "claims swapped between two genuine tokens", token: `${head}.${other[1]}.${tail}` },
    { name: "signature of another genuine token", token: `${head}.${body}.${other[2]}` },
    { name: "signature without its last character", token: token.slice(0, -1) },
    { name: "signature cut in half", token: `${head}.${body}.${tail.slice(0, 43)}` },
    { name: "signature twice", token: `${head}.${body}.${tail}${tail}` },
    { name: "spare bits of the last character set", token: token.slice(0, -1) + withSpareBit(token.at(-1) ?? "") },
    { name: "padded base64", token: `${head}.${body}.${tail}==` },
    { name: "no signature part", token: `${head}.${body}` },
    { name: "four parts", token: `${token}.${tail}` },
    { name: "five parts like a JWE", token: `${head}..${body}.${tail}.${tail}` },
    { name: "empty parts", token: ".." },
    { name: "a dot", token: "." },
    { name: "a leading dot", token: `.${token}` },
    { name: "header that is not JSON", token: `${Buffer.from("{").toString("base64url")}.${body}.${tail}` },
    { name: "JSON serialisation of the token", token: encode({ protected: head, payload: body, signature: tail }) },
    { name: "1 MB", token: `${head}.${"A".repeat(1_000_000)}.${tail}` },
  ];
}

function withSpareBit(letter: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? "";
}
