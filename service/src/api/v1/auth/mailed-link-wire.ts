import { z } from "zod";
import { minPasswordLength } from "../../../invitations/accept-invitation.ts";
import type { OpenInvitation } from "../../../invitations/open-invitation-store.ts";
import { roleField } from "./membership-wire.ts";

const token = z.string().min(1).max(200).describe("The part of the link after `=`");
const password = z.string().max(1024).meta({ format: "password" });
const newPassword = password.min(minPasswordLength).describe(`At least ${minPasswordLength} characters`);

const exampleToken = "the part of the link after =";
const examplePassword = "correct horse battery staple";

export const acceptBody = z
  .strictObject({
    token,
    password: password
      .min(1)
      .describe(
        `Of the user with the invited address; a new person chooses one of at least ${minPasswordLength} characters`,
      ),
  })
  .meta({ example: { token: exampleToken, password: examplePassword } });

export const joinBody = z.strictObject({ token }).meta({ example: { token: exampleToken } });

export const joinedResponse = z
  .object({
    message: z
      .string()
      .meta({ example: "You are a member of Acme now. Log in, and switch to the account if you have others." }),
    tenant_id: z.uuid(),
    name: z.string().meta({ example: "Acme" }),
    email: z.string().meta({ example: "jane@example.com" }),
    role: roleField,
  })
  .meta({ id: "Joined", description: "The account that the person has joined" });

export const resetBody = z
  .strictObject({ email: z.string().min(1).max(254).meta({ example: "ada@example.com" }) })
  .meta({ example: { email: "ada@example.com" } });

export const newPasswordBody = z
  .strictObject({ token, password: newPassword })
  .meta({ example: { token: exampleToken, password: examplePassword } });

export const messageResponse = z.object({ message: z.string() }).describe("What happens next");

export function toJoinedResponse({
  accountId,
  accountName,
  email,
  role,
}: OpenInvitation): z.infer<typeof joinedResponse> {
  return {
    message: `You are a member of ${accountName} now. Log in, and switch to the account if you have others.`,
    tenant_id: accountId,
    name: accountName,
    email,
    role,
  };
}
