import { z } from "zod";
import { listApiKeys, revokeApiKey } from "../../../api-keys/api-key-store.ts";
import { createApiKey } from "../../../api-keys/create-api-key.ts";
import { defaultOverlapSeconds, rollApiKey } from "../../../api-keys/roll-api-key.ts";
import { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import {
  apiKeyList,
  createdKeyResponse,
  createKeyBody,
  revokedKeyResponse,
  rolledKeyResponse,
  rollKeyBody,
  toApiKeyResponse,
  toKeyRequest,
} from "./api-key-wire.ts";

export function apiKeyRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/api-keys",
    {
      onRequest,
      schema: {
        operationId: "createApiKey",
        summary: "Create an API key",
        description:
          "Only this response contains the full key. Store it now. An account can have 100 keys that are neither revoked nor expired, " +
          "unless the operator changes this.",
        tags: ["API keys"],
        security: needsJwt,
        body: createKeyBody,
        response: { 201: createdKeyResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { userId: createdBy } = requireUser(caller);
      const created = await createApiKey(caller.db, deps.apiKeyIssuer, { ...toKeyRequest(request.body), createdBy });
      return reply.code(201).send({ ...toApiKeyResponse(created), key: created.key });
    },
  );

  app.get(
    "/api/v1/api-keys",
    {
      onRequest,
      schema: {
        operationId: "listApiKeys",
        summary: "List the account's API keys",
        tags: ["API keys"],
        security: needsJwt,
        response: { 200: apiKeyList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => (await listApiKeys(callerOf(request).db)).map(toApiKeyResponse),
  );

  app.post(
    "/api/v1/api-keys/:id/roll",
    {
      onRequest,
      schema: {
        operationId: "rollApiKey",
        summary: "Give an API key a new secret",
        description:
          "Only this response contains the new secret. Earlier secrets of the key work until the overlap ends; a key can have five " +
          "that work. After a leak, use `overlap_seconds` 0. Name, scopes, domain and expiry of the key stay.",
        tags: ["API keys"],
        security: needsJwt,
        params: uuidParams,
        body: rollKeyBody,
        response: { 200: rolledKeyResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const { id } = request.params;
      if (!isUuid(id)) throw new AppError("NOT_FOUND", "This account has no usable API key with this id.");
      const overlapSeconds = request.body.overlap_seconds ?? defaultOverlapSeconds;
      const caller = callerOf(request);
      const { userId: rolledBy } = requireUser(caller);
      const rolled = await rollApiKey(caller.db, deps.apiKeyIssuer, { id, overlapSeconds, rolledBy });
      return { ...toApiKeyResponse(rolled), key: rolled.key, previous_secrets_end_at: rolled.previousEndsAt };
    },
  );

  app.delete(
    "/api/v1/api-keys/:id",
    {
      onRequest,
      schema: {
        operationId: "revokeApiKey",
        summary: "Revoke an API key permanently",
        description: "Every request with the key that starts after this response returns 401.",
        tags: ["API keys"],
        security: needsJwt,
        params: uuidParams,
        response: { 200: revokedKeyResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const isRevoked = isUuid(request.params.id) && (await revokeApiKey(db, request.params.id));
      if (!isRevoked) throw new AppError("NOT_FOUND", "This account has no API key with this id.");
      return { message: "The API key is revoked. Every further request with it returns 401." };
    },
  );
}

/** A malformed id gets the same 404 as an unknown one. */
function isUuid(text: string): boolean {
  return z.guid().safeParse(text).success;
}
