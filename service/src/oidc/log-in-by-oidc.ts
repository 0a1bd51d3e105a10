import { hash, randomUUIDv7 } from "node:crypto";
import { refusalOfSuspended, suspended } from "../accounts/suspension.ts";
import { findOpenedAccount } from "../accounts/user-store.ts";
import type { Actor } from "../actor.ts";
import type { Database, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { FairSlots } from "../fair-slots.ts";
import { anonymousAt, type Client, originOf } from "../logins/client.ts";
import { addressBlock, type LoginThrottle } from "../logins/login-throttle.ts";
import { insertOidcLogin, oidcLoginHours } from "../logins/oidc-login-store.ts";
import type { RefreshTokenMaker } from "../logins/refresh-token.ts";
import { endSessions } from "../logins/session-store.ts";
import type { ClaimRule } from "../oidc-settings.ts";
import { countCallback, takeBackCallback } from "./callback-throttle.ts";
import type { FlowMaker, ResumedFlow } from "./flow.ts";
import { addUser, findUser, lockAccounts, syncMember, useState } from "./identity-store.ts";
import { type Grant, mapClaims, verifiedEmail } from "./map-claims.ts";
import type { IssuerIdentity, OidcIssuer } from "./oidc-issuer.ts";
import { noteRefusedLogin } from "./refused-log-in.ts";

/** Created once per process. */
export interface OidcDeps {
  issuer: OidcIssuer;
  flows: FlowMaker;
  rules: ClaimRule[];
  slots: FairSlots;
  refreshTokens: RefreshTokenMaker;
  throttle: LoginThrottle;
}

interface Callback extends Client {
  /** That of the browser which makes the request. */
  cookie: string;
  /** Those of the refresh cookies in the request. A browser that comes from another site sends none. */
  cookieLogins: string[];
  query: string;
}

export interface StartedLogin {
  refreshToken: string;
  secondsLeft: number;
}

/** No connection to the database is in use while the issuer answers. */
export async function logInByOidc(db: Database, deps: OidcDeps, callback: Callback): Promise<StartedLogin> {
  const flow = deps.flows.resume(callback.cookie);
  if (flow === undefined || !isStateOf(flow, callback.query)) throw otherBrowser();
  const identity = await deps.slots.run(addressBlock(callback.address), () => identify(db, deps, flow, callback));
  const replacedLogins = [...flow.cookieLogins, ...callback.cookieLogins];
  return admit(db, deps, { identity, client: callback, replacedLogins });
}

/** The library checks it too. Here a wrong one costs neither a statement nor a call. */
function isStateOf({ state }: ResumedFlow, query: string): boolean {
  const given = new URLSearchParams(query).getAll("state");
  return given.length === 1 && given[0] === state;
}

/**
 * The state is used up before the issuer is asked: one flow makes one call, whatever its answer. The count is part of the slot: a log-in that
 * gets no slot must not count as a failure. Neither does one whose issuer does not answer, nor one whose code the issuer accepts.
 */
async function identify(
  db: Database,
  { issuer, throttle }: OidcDeps,
  flow: ResumedFlow,
  { address, query }: Callback,
): Promise<IssuerIdentity> {
  await countCallback(db, throttle, address);
  if (!(await useState(db, hash("sha256", flow.state, "buffer")))) throw repeated();
  try {
    const identity = await issuer.exchangeCode(flow, query);
    await takeBackCallback(db, throttle, address);
    return identity;
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAVAILABLE") await takeBackCallback(db, throttle, address);
    throw error;
  }
}

interface Admission {
  identity: IssuerIdentity;
  client: Client;
  replacedLogins: string[];
}

type Outcome =
  | { kind: "login"; refreshToken: string }
  | { kind: "not-mapped" }
  | { kind: "suspended"; accountId: string | undefined };

async function admit(db: Database, deps: OidcDeps, admission: Admission): Promise<StartedLogin> {
  const outcome = await db.withTransaction((tx) => decide(tx, deps, admission));
  switch (outcome.kind) {
    case "login":
      return { refreshToken: outcome.refreshToken, secondsLeft: oidcLoginHours * 3600 };
    case "suspended":
      throw outcome.accountId === undefined ? suspended() : await refusalOfSuspended(db, outcome.accountId);
    case "not-mapped":
      throw notMapped();
  }
}

/** A refusal also commits: who has no access any more loses the memberships, and with them the open logins. */
async function decide(
  tx: Transaction,
  deps: OidcDeps,
  { identity, client, replacedLogins }: Admission,
): Promise<Outcome> {
  const grants = await grantsOf(tx, deps.rules, identity);
  const contactEmail = verifiedEmail(identity.claims);
  if (grants.length === 0) {
    const known = await findUser(tx, identity);
    if (known !== undefined) {
      await noteRefusedLogin(tx, { userId: known, client }, "not-mapped");
      await syncMember(tx, known, { grants, contactEmail }, issuerAt(client));
    }
    return { kind: "not-mapped" };
  }
  const userId = await getUser(tx, identity);
  await syncMember(tx, userId, { grants, contactEmail }, issuerAt(client));
  const opened = await findOpenedAccount(tx, userId);
  if (opened === undefined || opened.isSuspended) {
    await noteRefusedLogin(tx, { userId, client }, "suspended");
    return { kind: "suspended", accountId: opened?.accountId };
  }
  const [loginId, nonce] = [randomUUIDv7(), deps.refreshTokens.newNonce()];
  const login = { id: loginId, userId, accountId: opened.accountId, nonce, client };
  if (!(await insertOidcLogin(tx, login))) return { kind: "not-mapped" };
  // Nobody could end the session of a cookie that the response replaces.
  await endSessions(tx, replacedLogins, { action: "session.replace", actor: anonymousAt(client) });
  return { kind: "login", refreshToken: deps.refreshTokens.write({ loginId, nonce }) };
}

/** Whom the audit names for memberships: the rules of the operator give and take them, not the person who logs in. */
function issuerAt(client: Client): Actor {
  return { kind: "system", name: "OIDC", ...originOf(client) };
}

/** A first log-in that meets another one of the same person waits for it, and then finds the user. */
async function getUser(tx: Transaction, identity: IssuerIdentity): Promise<string> {
  const known = await findUser(tx, identity);
  if (known !== undefined) return known;
  const id = randomUUIDv7();
  if (await addUser(tx, identity, id)) return id;
  const added = await findUser(tx, identity);
  if (added === undefined) throw new Error("the user of an OIDC identity was deleted during its log-in");
  return added;
}

/** A rule may name an account that does not exist. */
async function grantsOf(tx: Transaction, rules: ClaimRule[], { claims }: IssuerIdentity): Promise<Grant[]> {
  const grants = mapClaims(rules, claims);
  if (grants.length === 0) return [];
  const existing = await lockAccounts(
    tx,
    grants.map(({ accountId }) => accountId),
  );
  return grants.filter(({ accountId }) => existing.has(accountId));
}

export function otherBrowser(): AppError {
  return new AppError(
    "UNAUTHORIZED",
    "This browser did not start this log-in, or started it more than 10 minutes ago. Start the log-in again.",
  );
}

function repeated(): AppError {
  return new AppError("UNAUTHORIZED", "This log-in has already been used. Start the log-in again.");
}

function notMapped(): AppError {
  return new AppError(
    "FORBIDDEN",
    "The issuer knows you, but no rule of this installation gives you an account. Ask the operator of this installation for a rule " +
      "(`OIDC_MAPPING`) for one of your groups, or your company for a group that has one.",
  );
}
