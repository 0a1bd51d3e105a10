import { z } from "zod";
import { isInvitable } from "../../../invitations/invitable-address.ts";
import type { Invitation } from "../../../invitations/invitation-store.ts";
import type { Invited } from "../../../invitations/invite-member.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { roleField } from "../auth/membership-wire.ts";

export const inviteBody = z
  .strictObject({
    email: z
      .string()
      .max(254)
      .refine(isInvitable, {
        error: "must be an email address such as jane@example.com",
      })
      .meta({ example: "jane@example.com" }),
    role: roleField,
  })
  .meta({ example: { email: "jane@example.com", role: "developer" } });

const invitationFields = {
  id: z.uuid(),
  email: z.string().meta({ example: "jane@example.com" }),
  role: roleField,
  invited_by: z.uuid().nullable().describe("Id of the owner who invited; null for the operator of the installation"),
  created_at: wireTimestamp,
  expires_at: wireTimestamp,
};

const invitationResponse = z
  .object(invitationFields)
  .meta({ id: "Invitation", description: "An open invitation to the account" });

export const invitationList = z.array(invitationResponse).describe("The open invitations of the account, newest first");

export const invitedResponse = z
  .object({
    ...invitationFields,
    mailed: z
      .boolean()
      .describe("True when this installation mails the links. It does not show whether the mail arrives"),
    link: z
      .url()
      .nullable()
      .describe(
        "Pass it on to the invited person. No other response contains it. Null when this installation mails the links",
      )
      .meta({ example: "https://mail.example.com/invitation#token=TOKEN" }),
  })
  .meta({ id: "CreatedInvitation", description: "The new invitation" });

export const deletedInvitationResponse = z
  .object({ message: z.string().meta({ example: "The invitation is withdrawn. Its link is no longer valid." }) })
  .describe("The invitation is withdrawn");

export function toInvitationResponse(invitation: Invitation): z.infer<typeof invitationResponse> {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
  };
}

export function toInvitedResponse({ invitation, link }: Invited): z.infer<typeof invitedResponse> {
  return { ...toInvitationResponse(invitation), mailed: link === undefined, link: link ?? null };
}
