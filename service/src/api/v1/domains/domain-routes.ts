import { z } from "zod";
import { parseDomainName } from "../../../domains/domain-name.ts";
import { findDomain, listDomains, requestCheck, verifyPauseSeconds } from "../../../domains/domain-store.ts";
import { type DomainDeps, registerDomain } from "../../../domains/register-domain.ts";
import { removeDomain } from "../../../domains/remove-domain.ts";
import { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsJwt } from "../../http/wire-format.ts";
import {
  domainAnswer,
  domainList,
  registerDomainBody,
  registeredDomainAnswer,
  removedDomainAnswer,
  toDomainAnswer,
  toListedAnswer,
  toRegisteredAnswer,
} from "./domain-wire.ts";

const idParams = z.object({ id: z.string() });

export function domainRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps.authenticator, "jwt");

  app.post(
    "/api/v1/domains",
    {
      onRequest,
      schema: {
        operationId: "registerDomain",
        summary: "Register a sending domain",
        description: "Publish the returned DNS records; verification follows by itself.",
        tags: ["Domains"],
        security: needsJwt,
        body: registerDomainBody,
        response: { 201: registeredDomainAnswer, ...errorAnswers(401, 409, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const domainName = parseDomainName(request.body.domain_name);
      const domain = await registerDomain(depsOf(deps), callerOf(request).accountId, domainName);
      return reply.code(201).send(toRegisteredAnswer(domain));
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
        security: needsJwt,
        response: { 200: domainList, ...errorAnswers(401) },
      },
    },
    async (request) => (await listDomains(callerOf(request).db)).map(toListedAnswer),
  );

  app.get(
    "/api/v1/domains/:id",
    {
      onRequest,
      schema: {
        operationId: "getDomain",
        summary: "Get a domain with its DNS records",
        tags: ["Domains"],
        security: needsJwt,
        params: idParams,
        response: { 200: domainAnswer, ...errorAnswers(401, 404) },
      },
    },
    async (request) => {
      const id = domainId(request.params.id);
      const domain = id === undefined ? undefined : await findDomain(callerOf(request).db, id);
      if (domain === undefined) throw notFound();
      return toDomainAnswer(domain);
    },
  );

  app.post(
    "/api/v1/domains/:id/verify",
    {
      onRequest,
      schema: {
        operationId: "verifyDomain",
        summary: "Check the domain's DNS records now",
        description: "The check follows within seconds; GET /api/v1/domains/{id} shows what it found.",
        tags: ["Domains"],
        security: needsJwt,
        params: idParams,
        response: { 202: domainAnswer, ...errorAnswers(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const { db } = callerOf(request);
      const id = domainId(request.params.id);
      const requested = id === undefined ? undefined : await requestCheck(db, id);
      if (requested !== undefined) return reply.code(202).send(toDomainAnswer(requested));
      const exists = id !== undefined && (await findDomain(db, id)) !== undefined;
      throw exists ? checkedJustNow() : notFound();
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
          "Nothing can be sent from it afterwards. The provider's part is removed as well, a moment later if it is busy.",
        tags: ["Domains"],
        security: needsJwt,
        params: idParams,
        response: { 200: removedDomainAnswer, ...errorAnswers(401, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { accountId, db } = callerOf(request);
      const id = domainId(request.params.id);
      if (id === undefined || (await findDomain(db, id)) === undefined) throw notFound();
      const removed = await removeDomain(depsOf(deps), accountId, id);
      if (removed === undefined) throw notFound();
      if (removed.hindrance !== undefined) {
        deps.log.warn({ request_id: request.id, err: removed.hindrance }, "domain.identity-left-for-later");
      }
      return { success: true as const };
    },
  );
}

function depsOf({ domainDeps }: ApiDeps): DomainDeps {
  if (domainDeps !== undefined) return domainDeps;
  const message =
    "This installation is not connected to AWS: AWS_FEEDBACK_TOPIC_ARN is missing. Its operator runs `postern aws setup`, " +
    "puts the line it prints into .env and starts the API again.";
  throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 60 });
}

function checkedJustNow(): AppError {
  const message = `A check was asked for a moment ago. Ask again in ${verifyPauseSeconds} seconds.`;
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds: verifyPauseSeconds });
}

function notFound(): AppError {
  return new AppError("NOT_FOUND", "This account has no domain with this id.");
}

/** Ids are the integers of PostgreSQL; anything else names nothing. */
function domainId(text: string): number | undefined {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : undefined;
  return id !== undefined && id <= 2_147_483_647 ? id : undefined;
}
