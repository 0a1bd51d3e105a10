import swagger from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import packageJson from "../../../package.json" with { type: "json" };
import { documentedWebhooks } from "../v1/webhooks/webhook-document.ts";
import type { ApiServer } from "./api-server.ts";
import { type ApiDocument, completeDocument } from "./complete-document.ts";

const description = `
Transactional email through your own Amazon SES. Postern validates every send before it submits it and records its outcome.

Authenticate with an API key in \`X-API-Key\` (its scopes say which endpoints) or with a JWT in \`Authorization: Bearer\` (all
endpoints). \`Authorization: Bearer\` also takes an API key.
Every response has the header \`X-Request-Id\`; every error response follows the schema **Error**.`.trim();

/** Generates OpenAPI 3.1 from the schemas that validate requests and responses, so the document cannot deviate from them. */
export async function serveOpenApi(app: ApiServer): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Postern",
        version: packageJson.version,
        description,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/", description: "This installation" }],
      tags: [
        { name: "Sends", description: "Emails, from acceptance to their outcome" },
        { name: "Authentication", description: "Access tokens for users and dashboards" },
        { name: "Members", description: "The people of an account and their roles" },
        { name: "API keys", description: "Credentials for servers that send" },
        { name: "Domains", description: "The domains an account may send from" },
        { name: "Suppressions", description: "Addresses that the account no longer sends to" },
        { name: "Events", description: "Deliveries, bounces, complaints and suppressed recipients" },
        { name: "Webhooks", description: "Where the account is notified of what happened" },
        { name: "Usage", description: "How much an account sends, and what becomes of it" },
        { name: "Feedback", description: "Notifications from the email provider" },
        { name: "Account", description: "The account behind a credential" },
        { name: "Operators", description: "The whole installation and all its accounts, for the people who run it" },
        { name: "Health", description: "For load balancers and orchestrators" },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
          jwt: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (raw) => {
      const document = jsonSchemaTransformObject(raw);
      // The plugin's type also covers OpenAPI 2, which has no components.
      completeDocument(Object.assign(document as unknown as ApiDocument, { webhooks: documentedWebhooks() }));
      return document;
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
}
