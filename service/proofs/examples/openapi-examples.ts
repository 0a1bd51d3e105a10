import { readFileSync } from "node:fs";
import { type Example, type ExampleContext, requireThat } from "./example.ts";

interface Operation {
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, unknown>;
  "x-codeSamples"?: { lang: string; source: string }[];
}

const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
);

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** Every request body and every program of the OpenAPI document. */
export function openapiExamples(): Example[] {
  return [
    ...operations.flatMap(({ path, method, operation }) => {
      const body = operation.requestBody?.content["application/json"]?.example;
      return body === undefined ? [] : [bodyExample(method, path, operation, body)];
    }),
    ...operations.flatMap(({ path, method, operation }) =>
      (operation["x-codeSamples"] ?? []).map((sample) => programExample(`${method} ${path}`, sample.source)),
    ),
  ];
}

function bodyExample(method: string, path: string, operation: Operation, body: unknown): Example {
  return {
    name: `OpenAPI, body of ${method} ${path}`,
    async run(context) {
      const answer =
        (await context.accounts.send(method, path, body)) ??
        (await context.call(method, path, await withOwnCredentials(context, path, body)));
      const isDocumented = answer.status < 300 && operation.responses[answer.status] !== undefined;
      requireThat(isDocumented, `answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await undo(context, path, answer.body);
    },
  };
}

/** The examples of these bodies stand for credentials that only their owner has. */
async function withOwnCredentials(
  { environment, call }: ExampleContext,
  path: string,
  body: unknown,
): Promise<unknown> {
  const { POSTERN_EMAIL: email, POSTERN_PASSWORD: password } = environment;
  if (path === "/api/v1/auth/login") return { ...(body as object), email, password }; // The example is an object.
  if (path !== "/api/v1/auth/refresh") return body;
  const login = await call("POST", "/api/v1/auth/login", { email, password });
  return { refresh_token: member(login.body, "refresh_token") };
}

/** The programs below register the same domain. */
async function undo({ call }: ExampleContext, path: string, answer: unknown): Promise<void> {
  if (path === "/api/v1/domains") await call("DELETE", `/api/v1/domains/${String(member(answer, "domain_id"))}`);
}

function member(answer: unknown, name: string): unknown {
  return typeof answer === "object" && answer !== null
    ? Object.entries(answer).find(([key]) => key === name)?.[1]
    : undefined;
}

function programExample(name: string, source: string): Example {
  return {
    name: `OpenAPI, program of ${name}`,
    async run({ project, environment }) {
      project.write("example.ts", source);
      const output = await project.run("example.ts", { env: environment });
      requireThat(!source.includes("console.error") || output !== "", "printed an error in place of its result");
    },
  };
}
