import type { KeyObject } from "node:crypto";
import * as openid from "openid-client";
import type { Flow } from "./flow.ts";
import { invalidIdentity, mayBeStale, toAppError, wrongIssuer } from "./issuer-errors.ts";
import { fetchFromIssuer } from "./issuer-fetch.ts";
import type { Claims } from "./map-claims.ts";

/** A person at the issuer, as a verified ID token says. */
export interface IssuerIdentity {
  issuer: string;
  subject: string;
  claims: Claims;
}

export interface OidcIssuer {
  authorizationUrl(flow: Flow): Promise<string>;
  /** `query` is that of the callback. Throws unless the issuer gives an ID token for this flow and this client. */
  exchangeCode(flow: Flow, query: string): Promise<IssuerIdentity>;
}

interface IssuerOptions {
  issuer: string;
  clientId: string;
  clientSecret: KeyObject;
  scopes: string;
  publicUrl: string;
}

export const callbackPath = "/api/v1/auth/oidc/callback";

/** Of each call to the issuer. A log-in makes up to three of them. */
const callSeconds = 5;
const metadataSeconds = 600;
/** Anyone can make log-ins fail, so a failure makes the API read the discovery document again only so often. */
const forgetSeconds = 10;
/** OpenID Connect Core, section 2. */
const maxSubjectLength = 255;
/** Without `none`, and without those whose key is the client secret. */
const asymmetricAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/**
 * Keeps the discovery document for ten minutes, and until a log-in fails in a way that a new document explains. Each log-in reads the keys
 * of the issuer anew, so a new key works at once, and a withdrawn one no longer does.
 */
export function createOidcIssuer(options: IssuerOptions): OidcIssuer {
  const { issuer, publicUrl, scopes } = options;
  const redirectUri = publicUrl + callbackPath;
  let known: { metadata: openid.ServerMetadata; until: number } | undefined;
  let loading: Promise<openid.ServerMetadata> | undefined;
  let forgotAt = Number.NEGATIVE_INFINITY;

  async function discover(): Promise<openid.ServerMetadata> {
    const found = await openid.discovery(new URL(issuer), options.clientId, undefined, undefined, {
      timeout: callSeconds,
      [openid.customFetch]: fetchFromIssuer,
      execute: permitLoopback(issuer),
    });
    const metadata = { ...found.serverMetadata() };
    if (metadata.issuer !== issuer) throw wrongIssuer(metadata.issuer);
    known = { metadata, until: performance.now() + metadataSeconds * 1000 };
    return metadata;
  }

  /** Concurrent log-ins wait for one discovery. */
  async function configure(): Promise<openid.Configuration> {
    if (known !== undefined && performance.now() < known.until) return configurationOf(options, known.metadata);
    loading ??= discover().finally(() => {
      loading = undefined;
    });
    return configurationOf(options, await loading);
  }

  function forget(): void {
    if (performance.now() < forgotAt + forgetSeconds * 1000) return;
    known = undefined;
    forgotAt = performance.now();
  }

  async function withIssuer<Result>(
    work: (configuration: openid.Configuration) => Promise<Result>,
    isStale = mayBeStale,
  ): Promise<Result> {
    try {
      return await work(await configure());
    } catch (error) {
      if (isStale(error)) forget();
      throw toAppError(error);
    }
  }

  return {
    authorizationUrl: ({ state, nonce, codeVerifier }) =>
      withIssuer(
        async (configuration) => {
          const code_challenge = await openid.calculatePKCECodeChallenge(codeVerifier);
          const url = openid.buildAuthorizationUrl(configuration, {
            redirect_uri: redirectUri,
            scope: scopes,
            state,
            nonce,
            code_challenge,
            code_challenge_method: "S256",
          });
          if (url.protocol !== "https:" && url.protocol !== new URL(issuer).protocol) throw invalidIdentity("endpoint");
          return url.href;
          // Nothing but the document can make it fail.
        },
        () => true,
      ),
    exchangeCode: ({ state, nonce, codeVerifier }, query) =>
      withIssuer(async (configuration) => {
        const tokens = await openid.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || claims.iss !== issuer) throw invalidIdentity("iss");
        // The library checks it only beside several audiences.
        if (claims.azp !== undefined && claims.azp !== options.clientId) throw invalidIdentity("azp");
        return { issuer, subject: requireSubject(claims.sub), claims };
      }),
  };
}

/** A new one for each log-in: the library keeps the keys of the issuer with it. */
function configurationOf({ issuer, clientId, clientSecret }: IssuerOptions, metadata: openid.ServerMetadata) {
  const { id_token_signing_alg_values_supported: algorithms = ["RS256"] } = metadata;
  const id_token_signing_alg_values_supported = algorithms.filter((each) => asymmetricAlgorithms.includes(each));
  const secret = clientSecret.export().toString();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authentication = methods.includes("client_secret_basic")
    ? openid.ClientSecretBasic(secret)
    : openid.ClientSecretPost(secret);
  const known = { ...metadata, id_token_signing_alg_values_supported };
  const configuration = new openid.Configuration(known, clientId, undefined, authentication);
  configuration.timeout = callSeconds;
  configuration[openid.customFetch] = fetchFromIssuer;
  // Otherwise the library trusts TLS alone and does not check the signature of the ID token.
  openid.enableNonRepudiationChecks(configuration);
  for (const permit of permitLoopback(issuer)) permit(configuration);
  return configuration;
}

/** The settings permit http on loopback only. */
function permitLoopback(issuer: string): ((configuration: openid.Configuration) => void)[] {
  return issuer.startsWith("http:") ? [openid.allowInsecureRequests] : [];
}

function requireSubject(subject: string): string {
  if (subject === "" || subject.length > maxSubjectLength || !/^[\x20-\x7e]+$/.test(subject)) {
    throw invalidIdentity("sub");
  }
  return subject;
}
