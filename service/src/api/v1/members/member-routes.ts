import { z } from "zod";
import { changeRole, listMembers, removeMember } from "../../../accounts/membership-store.ts";
import { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import { memberBody, memberList, memberResponse, removedMemberResponse, toMemberResponse } from "./member-wire.ts";

export function memberRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/members",
    {
      onRequest,
      schema: {
        operationId: "listMembers",
        summary: "List the members of the account",
        tags: ["Members"],
        security: needsJwt,
        response: { 200: memberList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => (await listMembers(callerOf(request).db)).map(toMemberResponse),
  );

  app.patch(
    "/api/v1/members/:id",
    {
      onRequest,
      schema: {
        operationId: "changeRole",
        summary: "Change the role of a member",
        description:
          "Applies to every request of the member that starts after this response. The last owner of an account keeps the role: 409.",
        tags: ["Members"],
        security: needsJwt,
        params: uuidParams,
        body: memberBody,
        response: { 200: memberResponse, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { id: userId } = request.params;
      const { userId: by } = requireUser(caller);
      const { role } = request.body;
      const member = isUuid(userId) ? await changeRole(caller.db, { userId, by, role }) : undefined;
      if (member === undefined) throw noMember();
      return toMemberResponse(member);
    },
  );

  app.delete(
    "/api/v1/members/:id",
    {
      onRequest,
      schema: {
        operationId: "removeMember",
        summary: "Remove a member from the account",
        description:
          "Ends the logins of the member to this account at once. API keys that the member created stay valid. The last owner of an account " +
          "cannot be removed: 409.",
        tags: ["Members"],
        security: needsJwt,
        params: uuidParams,
        response: { 200: removedMemberResponse, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { id: userId } = request.params;
      const { userId: by } = requireUser(caller);
      if (!isUuid(userId) || !(await removeMember(caller.db, { userId, by }))) throw noMember();
      return { message: "The member is removed, and the member's logins to this account have ended." };
    },
  );
}

/** A malformed id gets the same 404 as an unknown one. */
function isUuid(text: string): boolean {
  return z.guid().safeParse(text).success;
}

function noMember(): AppError {
  return new AppError("NOT_FOUND", "This account has no member with this id. GET /api/v1/members lists the members.");
}
