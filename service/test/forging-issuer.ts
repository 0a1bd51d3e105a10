import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import type { Environment } from "../src/config.ts";

export const clientId = "postern";
export const clientSecret = "a client secret of at least thirty-two characters";
const alg = "ES256";

export interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/** What the issuer answers. A test replaces a part to make it hostile. Undefined answers nothing and keeps the connection open. */
export interface Answers {
  metadata(honest: Record<string, unknown>): object | undefined;
  keys(honest: JWK[]): JWK[] | undefined;
  token(nonce: string): Promise<TokenAnswer | undefined>;
}

interface TokenAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
  /** Sends all of the response but its end. */
  isUnfinished?: boolean;
}

/** An issuer that gives whatever token a test wants, for every code. It has no log-in page: the test makes the callback itself. */
export interface ForgingIssuer {
  url: string;
  key: SigningKey;
  honest: Answers;
  answers: Answers;
  calls: { discovery: number; token: number; keys: number };
  close(): Promise<void>;
}

export async function startForgingIssuer(): Promise<ForgingIssuer> {
  const key = await makeSigningKey("k1");
  const calls = { discovery: 0, token: 0, keys: 0 };
  const server = createServer((request, response) => void answer(issuer, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  const url = `http://127.0.0.1:${port}`;
  const honest: Answers = {
    metadata: (metadata) => metadata,
    keys: (keys) => keys,
    token: async (nonce) => tokenBody(await signToken(issuer.key, claimsOf(issuer, nonce))),
  };
  const issuer: ForgingIssuer = {
    url,
    key,
    honest,
    answers: { ...honest },
    calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return issuer;
}

export async function makeSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** The person of all honest tokens, unless a test gives other claims. */
export const honestClaims = { sub: "ada", groups: ["mail-team"], email: "ada@acme.test", email_verified: true };

export function claimsOf({ url }: Pick<ForgingIssuer, "url">, nonce: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { ...honestClaims, iss: url, aud: clientId, nonce, iat: now, exp: now + 300 };
}

export function signToken({ kid, privateKey }: SigningKey, claims: JWTPayload, header: object = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

export function tokenBody(id_token: unknown) {
  return { body: { access_token: "an access token", token_type: "Bearer", expires_in: 300, id_token } };
}

/** The settings with which an API uses this issuer. Members of mail-team are developers of the account. */
export function issuerSettings(issuerUrl: string, accountId: string, rules: object[] = []): Environment {
  const usual = { claim: "groups", value: "mail-team", account: accountId, role: "developer" };
  return {
    OIDC_ISSUER: issuerUrl,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_MAPPING: JSON.stringify([usual, ...rules]),
  };
}

async function answer(issuer: ForgingIssuer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url, answers, calls } = issuer;
  const json = (content: unknown, { status = 200, headers = {}, isUnfinished = false }: Partial<TokenAnswer> = {}) => {
    if (content === undefined) return;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.write(typeof content === "string" ? content : JSON.stringify(content));
    if (!isUnfinished) response.end();
  };
  const body = new URLSearchParams(await text(request));
  switch (request.url) {
    case "/.well-known/openid-configuration":
      calls.discovery++;
      return json(answers.metadata(honestMetadata(url)));
    case "/keys": {
      calls.keys++;
      const keys = answers.keys([issuer.key.publicJwk]);
      return json(keys && { keys });
    }
    case "/token": {
      calls.token++;
      // The test puts the nonce into the code, so that the issuer needs no memory.
      const given = await answers.token(body.get("code") ?? "");
      return json(given?.body, given);
    }
    default:
      return json({ error: "not_found" }, { status: 404 });
  }
}

function honestMetadata(url: string): Record<string, unknown> {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["none", "HS256", alg],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}
