import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import { Provider, type ProviderContext } from "oidc-provider";
import { clientId, clientSecret } from "./forging-issuer.ts";
import { publicUrl } from "./oidc-browser.ts";

const redirectUri = `${publicUrl}/api/v1/auth/oidc/callback`;

/** `oidc-provider`, a certified OpenID Connect server, on loopback. People log in by their name alone. */
export interface RealIssuer {
  url: string;
  /** Further clients of the issuer, for codes that are not ours. */
  otherClientId: string;
  /** Logs in at the issuer and returns the query with which it sends the browser back. */
  logIn(location: URL, subject: string): Promise<string>;
  /** From now on the issuer signs with a new key and does not publish the old one. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

export async function startRealIssuer(claimsOf: (subject: string) => object): Promise<RealIssuer> {
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => handle?.(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  const url = `http://127.0.0.1:${port}`;
  const rotateKeys = async () => {
    handle = await handlerOf(url, claimsOf);
  };
  await rotateKeys();
  return {
    url,
    otherClientId: "another-client",
    logIn,
    rotateKeys,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

let generation = 0;

async function handlerOf(url: string, claimsOf: (subject: string) => object) {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: `k${++generation}`, use: "sig", alg: "RS256" };
  const client = { client_secret: clientSecret, redirect_uris: [redirectUri], response_types: ["code"] };
  const provider = new Provider(url, {
    clients: [
      { ...client, client_id: clientId },
      { ...client, client_id: "another-client" },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["a key for tests"] },
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/log-in/${uid}` },
    findAccount: (_context: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...claimsOf(subject) }),
    }),
    loadExistingGrant: grantAll,
  });
  const handleOthers = provider.callback();
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/log-in/")) void finishInteraction(provider, request, response);
    else void handleOthers(request, response);
  };
}

/** Nobody has to consent. */
async function grantAll({ oidc }: ProviderContext): Promise<object> {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope("openid email");
  await grant.save();
  return grant;
}

async function finishInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  await provider.interactionFinished(request, response, { login: { accountId: String(params.login_hint) } });
}

const maxRedirects = 10;

async function logIn(location: URL, subject: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = new URL(location);
  next.searchParams.set("login_hint", subject);
  for (let count = 0; count < maxRedirects; count++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie },
      signal: AbortSignal.timeout(20_000),
    });
    const body = await response.text();
    for (const each of response.headers.getSetCookie()) {
      const [name = "", value = ""] = each.split(";")[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get("location");
    if (to === null) throw new Error(`the issuer answered with ${response.status}: ${body.slice(0, 300)}`);
    next = new URL(to, next);
    if (next.origin === publicUrl) return next.search.slice(1);
  }
  throw new Error("the issuer redirects without end");
}
