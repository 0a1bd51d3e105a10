import swagger from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import packageJson from "../../../package.json" with { type: "json" };
import type { ApiServer } from "./api-server.ts";

const description = `
Transactional mail through your own Amazon SES. It checks every send before it leaves and records what became of it.

Authenticate with an API key in \`X-API-Key\` (sending) or with a JWT as \`Authorization: Bearer\` (everything).
Every answer carries \`X-Request-Id\`; every error has the shape of the schema **Error**.`.trim();

/** OpenAPI 3.1 from the same schemas that check requests and answers, so that it cannot drift from them. */
export async function describeApi(app: ApiServer): Promise<void> {
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
        { name: "Sends", description: "Mail, from acceptance to what became of it" },
        { name: "Log-in", description: "Access tokens for people and dashboards" },
        { name: "API keys", description: "Credentials for servers that send" },
        { name: "Domains", description: "The domains an account may send from" },
        { name: "Suppressions", description: "Addresses that are not mailed any more" },
        { name: "Events", description: "Deliveries, bounces, complaints and filtered recipients" },
        { name: "Feedback", description: "What the provider tells us" },
        { name: "Account", description: "Who a credential belongs to" },
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
      if ("components" in document) dropUnusedSchemas(document.components?.schemas ?? {}, document);
      return document;
    },
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
}

/** The schema library emits each named schema for input and for output; what nothing refers to is left out. */
function dropUnusedSchemas(schemas: Record<string, unknown>, document: unknown): void {
  const text = JSON.stringify(document);
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
  for (const name of unused) delete schemas[name];
  // What only those referred to is unused as well.
  if (unused.length > 0) dropUnusedSchemas(schemas, document);
}
