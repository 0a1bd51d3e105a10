import type { Proof } from "../../scripts/proof.ts";
import { roles } from "../src/accounts/role.ts";
import { type CallerAccess, findRouteAccess } from "../src/api/auth/route-access.ts";
import type { ApiDeps, ApiServer } from "../src/api/http/api-server.ts";
import type { Database } from "../src/db/database.ts";
import { registeredRoutes } from "../test/registered-routes.ts";
import { withTestApis } from "../test/with-test-apis.ts";
import { type SenderTally, trySenders } from "./scopes/foreign-senders.ts";
import { type RouteRequest, routeRequests } from "./scopes/route-requests.ts";
import { aScopeAccount, type ScopeAccount } from "./scopes/scope-accounts.ts";
import {
  keyCredentials,
  operatorCredential,
  type ScopeCredential,
  userCredential,
} from "./scopes/scope-credentials.ts";

export const proof: Proof = {
  promise:
    "Every route opens to exactly the keys and users that the table of access names, and a key for one domain sends from no other",
  covers: [
    "service/migrations",
    "service/proofs/scopes",
    "service/src/accept",
    "service/src/accounts",
    "service/src/api-keys",
    "service/src/api/auth",
    "service/src/api/v1",
    "service/src/mail-address.ts",
    "service/src/sends/send-store.ts",
    "service/src/webhooks",
  ],
  size: { small: 1, full: 20 },
  run: (size, { serverUrl, progress }) =>
    withTestApis(serverUrl, { api: {} }, async ({ db, apis: { api } }) => {
      // The proof reads more than an account may in a second.
      const { usage } = api.deps.readLimits.count("nobody");
      api.deps.readLimits.count = () => ({ usage, retryMs: undefined });
      api.deps.readLimits.countWrite = api.deps.readLimits.count;
      const routes = guardedRoutes(api.app);
      const differences = routes
        .filter(({ name }) => routeRequests[name] === undefined)
        .map(({ name }) => `${name} is not tried`);
      const senders: SenderTally = { honest: 0, honestRefused: 0, hostile: 0, hostileAccepted: 0, foreignStored: 0 };
      let requests = 0;
      for (let round = 1; round <= size; round++) {
        const results = await tryRoutes(db, api, routes);
        requests += results.length;
        differences.push(...results.filter((difference) => difference !== undefined));
        await trySenders(db, api, senders);
        progress(`${round} of ${size} accounts: ${requests} requests, ${differences.length} differences`);
      }
      const example = differences[0] === undefined ? "" : `, first: ${differences[0]}`;
      return {
        figure:
          `${differences.length} of ${requests} requests differ from the table (${routes.length} routes${example}); of keys for one domain ` +
          `${senders.hostileAccepted} of ${senders.hostile} sends from other domains accepted, ${senders.foreignStored} stored, ` +
          `${senders.honestRefused} of ${senders.honest} permitted sends refused`,
        holds:
          differences.length + senders.hostileAccepted + senders.foreignStored + senders.honestRefused === 0 &&
          requests > 4_000 * size &&
          senders.hostile > 500 * size,
      };
    }),
};

interface GuardedRoute {
  name: string;
  method: "GET" | "POST" | "PATCH" | "DELETE" | "HEAD";
  access: CallerAccess;
}

/** Those that need a credential, from the server itself; HEAD is tried like GET. */
function guardedRoutes(app: ApiServer): GuardedRoute[] {
  return registeredRoutes(app).flatMap(({ methods, path }) =>
    methods.flatMap((method) => {
      const access = findRouteAccess(method, path);
      if (access === undefined || access.public) return [];
      const name = `${method === "HEAD" ? "GET" : method} ${path}`;
      // The server has no routes with other methods; `routeRequests` would lack them.
      return [{ name, method: method as GuardedRoute["method"], access }];
    }),
  );
}

/** Every route with every credential, about the own account and about another one. Each result is a difference or undefined. */
async function tryRoutes(
  db: Database,
  { app, deps }: { app: ApiServer; deps: ApiDeps },
  routes: GuardedRoute[],
): Promise<(string | undefined)[]> {
  const [own, other] = [await aScopeAccount(db, deps), await aScopeAccount(db, deps)];
  const results: (string | undefined)[] = [];
  for (const credential of await keyCredentials(db, deps, own)) {
    for (const route of routes) {
      results.push(await tryRoute(app, credential, route, { account: own, isOwn: true }));
      results.push(await tryRoute(app, credential, route, { account: other, isOwn: false }));
    }
  }
  const unchanged = await aScopeAccount(db, deps);
  for (const route of routes) {
    for (const credentialOf of users) {
      // A route that opens may end the login or remove the resource.
      const isRead = ["GET", "HEAD"].includes(route.method);
      const isSafe = isRead || !credentialOf(unchanged).opens(route.access);
      const fresh = isSafe ? unchanged : await aScopeAccount(db, deps);
      results.push(await tryRoute(app, credentialOf(fresh), route, { account: other, isOwn: false }));
      // After a log-out, which every user may do.
      const again = route.name === "POST /api/v1/auth/logout" ? await aScopeAccount(db, deps) : fresh;
      results.push(await tryRoute(app, credentialOf(again), route, { account: again, isOwn: true }));
    }
  }
  return results;
}

/** One for each role, and one for the operator. */
const users: ((account: ScopeAccount) => ScopeCredential)[] = [
  ...roles.map(
    (role) =>
      ({ accessTokens }: ScopeAccount) =>
        userCredential(accessTokens[role], role),
  ),
  operatorCredential,
];

interface Target {
  account: ScopeAccount;
  isOwn: boolean;
}

async function tryRoute(app: ApiServer, credential: ScopeCredential, route: GuardedRoute, target: Target) {
  const request = routeRequests[route.name]?.(target.account, credential.mode);
  if (request === undefined) return undefined;
  const { method } = route;
  const { headers } = credential;
  const answer = await app.inject({
    method,
    url: request.path,
    headers,
    ...(request.body === undefined ? {} : { payload: request.body }),
  });
  const isJson = method !== "HEAD" && String(answer.headers["content-type"]).startsWith("application/json");
  const text = isJson ? String(answer.json().error?.message ?? "") : undefined;
  const expected = credential.opens(route.access)
    ? openStatuses(route, request, target)
    : [credential.refusal(route.access).status];
  const isRefusal = !credential.opens(route.access);
  const isExplained = !isRefusal || text === undefined || credential.refusal(route.access).message.test(text);
  if (expected.includes(answer.statusCode) && isExplained) return undefined;
  const about = target.isOwn ? "own" : "other";
  return `${method} ${route.name} with a ${credential.name} about the ${about} account: ${answer.statusCode} ${text ?? ""}`;
}

/** What a route that is open answers. */
function openStatuses({ name }: GuardedRoute, { namesResource }: RouteRequest, { isOwn }: Target): number[] {
  if (!isOwn && namesResource) return [404];
  // None of the users has such a session or TOTP, and their codes are wrong: any refusal but one of the role.
  if (/^\w+ \/api\/v1\/auth\/(sessions\/|totp\/)/.test(name)) return [401, 404, 409, 422, 429];
  // The quarantine is empty.
  if (name === "POST /api/v1/operator/quarantine/:id/read") return [404];
  // The new password is too short, but the credential was checked.
  if (name === "POST /api/v1/auth/password") return [422];
  // Only the operator has TOTP.
  if (name === "POST /api/v1/auth/totp") return [200, 409];
  // The token is for its own account already.
  if (name === "POST /api/v1/auth/switch") return [409];
  // The token is of no invitation, but the credential was checked.
  if (name === "POST /api/v1/auth/invitations/join") return [404];
  // No send has the key, but the credential was checked.
  if (name === "POST /api/v1/send/cancel") return [404];
  if (name === "POST /api/v1/send") return isOwn ? [202] : [400, 401];
  if (name === "POST /api/v1/send/batch") return isOwn ? [202] : [422];
  // Without an AWS account domains cannot be registered or removed, but the credential was checked.
  const changesAtSes = ["POST /api/v1/domains", "POST /api/v1/domains/:id/mail-from", "DELETE /api/v1/domains/:id"];
  if (changesAtSes.includes(name)) return [503];
  if (name === "GET /api/v1/domains/:id/dns") return [200, 429];
  if (name === "POST /api/v1/domains/:id/verify") return [202, 429];
  if (name === "GET /api/v1/suppression/:email" || name === "DELETE /api/v1/suppression/:email") return [200, 404];
  if (name === "POST /api/v1/send/validate" && !isOwn) return [200, 401];
  // An account can have ten.
  if (name === "POST /api/v1/webhooks" || name === "POST /api/v1/webhooks/listeners") return [201, 422];
  if (name === "DELETE /api/v1/webhooks/:id") return [200, 404];
  // One replay of a webhook runs at a time.
  if (name === "POST /api/v1/webhooks/:id/replay") return [202, 409];
  if (name === "POST /api/v1/webhooks/:id/replays/:replay_id/cancel") return [200, 409];
  if (/^POST \/api\/v1\/webhooks\/.*\/(test|replay)$/.test(name)) return [202];
  return [200, 201];
}
