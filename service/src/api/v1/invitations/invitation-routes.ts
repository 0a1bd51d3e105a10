import { z } from "zod";
import { findAccount } from "../../../accounts/account-store.ts";
import { AppError } from "../../../errors.ts";
import { deleteInvitation, listInvitations } from "../../../invitations/invitation-store.ts";
import { inviteMember } from "../../../invitations/invite-member.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import {
  deletedInvitationResponse,
  invitationList,
  inviteBody,
  invitedResponse,
  toInvitationResponse,
  toInvitedResponse,
} from "./invitation-wire.ts";

export function invitationRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/invitations",
    {
      onRequest,
      schema: {
        operationId: "inviteMember",
        summary: "Invite a person to the account",
        description:
          "The link works once, for 7 days. When the operator has set a sender, Postern mails it and the response never contains it. " +
          "Otherwise the response contains it, and nothing proves that the address belongs to the person who accepts. A second " +
          "invitation of the same address replaces the first. The answer does not show whether the person is a user of another account.",
        tags: ["Members"],
        security: needsJwt,
        body: inviteBody,
        response: { 201: invitedResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const { db, credential } = callerOf(request);
      const account = await findAccount(db);
      const invited = await inviteMember(db, deps.inviteDeps, {
        ...request.body,
        accountName: account?.name ?? "",
        invitedBy: credential.kind === "jwt" ? credential.userId : undefined,
      });
      return reply.code(201).send(toInvitedResponse(invited));
    },
  );

  app.get(
    "/api/v1/invitations",
    {
      onRequest,
      schema: {
        operationId: "listInvitations",
        summary: "List the open invitations to the account",
        tags: ["Members"],
        security: needsJwt,
        response: { 200: invitationList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => (await listInvitations(callerOf(request).db)).map(toInvitationResponse),
  );

  app.delete(
    "/api/v1/invitations/:id",
    {
      onRequest,
      schema: {
        operationId: "deleteInvitation",
        summary: "Withdraw an invitation",
        tags: ["Members"],
        security: needsJwt,
        params: uuidParams,
        response: { 200: deletedInvitationResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { id } = request.params;
      const isDeleted = z.guid().safeParse(id).success && (await deleteInvitation(db, id));
      if (!isDeleted) throw new AppError("NOT_FOUND", "This account has no open invitation with this id.");
      return { message: "The invitation is withdrawn. Its link is no longer valid." };
    },
  );
}
