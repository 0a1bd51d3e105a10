import { z } from "zod";
import { minPasswordLength } from "../../../invitations/accept-invitation.ts";

export const passwordBody = z
  .strictObject({
    current_password: z.string().min(1).max(1024).meta({ format: "password" }),
    new_password: z
      .string()
      .min(minPasswordLength)
      .max(1024)
      .describe(`At least ${minPasswordLength} characters`)
      .meta({ format: "password" }),
  })
  .meta({
    example: { current_password: "correct horse battery staple", new_password: "another horse with four words" },
  });

export const changedPasswordResponse = z
  .object({ success: z.literal(true), ended: z.int().describe("How many other sessions ended") })
  .describe("The new password works from now on");

export const loginMethodsResponse = z
  .object({
    password: z.literal(true),
    oidc: z
      .object({ start_path: z.string().describe("A browser opens this path to log in at the issuer") })
      .nullable()
      .describe("Null without log-in by OIDC"),
    password_reset: z.boolean().describe("Whether this installation mails links that reset a password"),
  })
  .meta({
    id: "LoginMethods",
    description: "How people can log in",
    example: { password: true, oidc: { start_path: "/api/v1/auth/oidc/start" }, password_reset: true },
  });
