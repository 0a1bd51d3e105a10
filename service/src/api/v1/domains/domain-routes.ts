import { parseDomainName } from "../../../domains/domain-name.ts";
import { findDomain, listDomains, requestCheck, verifyPauseSeconds } from "../../../domains/domain-store.ts";
import { registerDomain } from "../../../domains/register-domain.ts";
import { removeDomain } from "../../../domains/remove-domain.ts";
import { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { domainIdParams, noSuchDomain, parseDomainId } from "./domain-id.ts";
import {
  domainList,
  domainResponse,
  registerDomainBody,
  registeredDomainResponse,
  removedDomainResponse,
  toDomainResponse,
  toListedDomain,
  toRegisteredDomain,
} from "./domain-wire.ts";
import { requireDomainDeps } from "./require-domain-deps.ts";

export function domainRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/domains",
    {
      onRequest,
      schema: {
        operationId: "registerDomain",
        summary: "Register a sending domain",
        description: "Publish the returned DNS records. Postern then verifies the domain without another request.",
        tags: ["Domains"],
        security: needsJwtOrKey,
        body: registerDomainBody,
        response: { 201: registeredDomainResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const domainName = parseDomainName(request.body.domain_name);
      const { accountId, db } = callerOf(request);
      const domain = await registerDomain(requireDomainDeps(deps), accountId, domainName, db.actor);
      return reply.code(201).send(toRegisteredDomain(domain));
    },
  );

  app.get(
    "/api/v1/domains",
    {
      onRequest,
      schema: {
        operationId: "listDomains",
        summary: "List the account's domains",
        tags: ["Domains"],
        security: needsJwtOrKey,
        response: { 200: domainList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => (await listDomains(callerOf(request).db)).map(toListedDomain),
  );

  app.get(
    "/api/v1/domains/:id",
    {
      onRequest,
      schema: {
        operationId: "getDomain",
        summary: "Get a domain with its DNS records",
        tags: ["Domains"],
        security: needsJwtOrKey,
        params: domainIdParams,
        response: { 200: domainResponse, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const id = parseDomainId(request.params.id);
      const domain = id === undefined ? undefined : await findDomain(callerOf(request).db, id);
      if (domain === undefined) throw noSuchDomain();
      return toDomainResponse(domain);
    },
  );

  app.post(
    "/api/v1/domains/:id/verify",
    {
      onRequest,
      schema: {
        operationId: "verifyDomain",
        summary: "Check the domain's DNS records now",
        description: "The check runs within seconds; GET /api/v1/domains/{id} returns its result.",
        tags: ["Domains"],
        security: needsJwtOrKey,
        params: domainIdParams,
        response: { 202: domainResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const { db } = callerOf(request);
      const id = parseDomainId(request.params.id);
      const requested = id === undefined ? undefined : await requestCheck(db, id);
      if (requested !== undefined) return reply.code(202).send(toDomainResponse(requested));
      const exists = id !== undefined && (await findDomain(db, id)) !== undefined;
      throw exists ? checkRequestedRecently() : noSuchDomain();
    },
  );

  app.delete(
    "/api/v1/domains/:id",
    {
      onRequest,
      schema: {
        operationId: "removeDomain",
        summary: "Remove a domain",
        description:
          "The account can no longer send from the domain. Postern also deletes the identity at the provider; if the provider is " +
          "busy, it does so later.",
        tags: ["Domains"],
        security: needsJwtOrKey,
        params: domainIdParams,
        response: { 200: removedDomainResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const { accountId, db } = callerOf(request);
      const id = parseDomainId(request.params.id);
      if (id === undefined || (await findDomain(db, id)) === undefined) throw noSuchDomain();
      const removed = await removeDomain(requireDomainDeps(deps), accountId, id, db.actor);
      if (removed === undefined) throw noSuchDomain();
      if (removed.identityRemovalError !== undefined) {
        deps.log.warn(
          { request_id: request.id, err: removed.identityRemovalError },
          "domain.identity-removal-postponed",
        );
      }
      return { success: true as const };
    },
  );
}

function checkRequestedRecently(): AppError {
  const message = `A check of this domain was requested less than ${verifyPauseSeconds} seconds ago. Request it again in ${verifyPauseSeconds} seconds.`;
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds: verifyPauseSeconds });
}
