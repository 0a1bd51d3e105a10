import { declaration, type Schema, typeName, typeOf } from "./schema-type.ts";

interface Parameter {
  in: "path" | "query";
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  /** What the service sends, by type. */
  webhooks?: Record<string, Record<string, { requestBody?: { content: Content } }>>;
}

/** Load balancers use the paths outside /api/v1/, and the provider uses the feedback path. */
function isForCallers(path: string): boolean {
  return path.startsWith("/api/v1/") && !path.startsWith("/api/v1/feedback/");
}

/** Returns the text of src/api-types.ts. */
export function apiTypesText(document: ApiDocument): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => isForCallers(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => !isStreamOrPage(operation))
        .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );
  return [
    "// Written by `npm run openapi` from service/openapi.json. Do not edit.",
    ...Object.entries(document.components.schemas).map(([name, schema]) => declaration(typeName(name), schema)),
    ...operations.flatMap(({ operation }) =>
      inlineSchemas(operation).map(({ name, schema }) => declaration(name, schema)),
    ),
    operationTable(operations),
    notificationUnion(document),
  ].join("\n\n");
}

/** Every notification has its own value of `type`, so a switch over it narrows the union. */
function notificationUnion({ webhooks = {} }: ApiDocument): string {
  const schemas = Object.values(webhooks).flatMap((methods) =>
    Object.values(methods).map(({ requestBody }) => requestBody?.content["application/json"]?.schema ?? {}),
  );
  const names = schemas.map((schema) => `\n  | ${typeOf(schema, "")}`);
  return `/** The body of every request that the service sends to a webhook. */\nexport type Notification =${names.join("")};\n`;
}

/** The query, body and answer of an operation that the document does not name. */
function inlineSchemas(operation: Operation) {
  const stem = operation.operationId.replace(/^./, (first) => first.toUpperCase());
  const candidates = [
    { kind: "query", name: `${stem}Query`, schema: parametersSchema(operation, "query") },
    { kind: "body", name: `${stem}Body`, schema: operation.requestBody?.content["application/json"]?.schema },
    { kind: "answer", name: `${stem}Answer`, schema: answerSchema(operation) },
  ];
  return candidates.flatMap(({ kind, name, schema }) =>
    schema === undefined || schema.$ref !== undefined ? [] : [{ kind, name, schema }],
  );
}

function operationTable(operations: { name: string; operation: Operation }[]): string {
  const entries = operations.map(({ name, operation }) => {
    const named = new Map(inlineSchemas(operation).map((schema) => [schema.kind, schema.name]));
    const path = parametersSchema(operation, "path");
    const body = operation.requestBody?.content["application/json"]?.schema;
    const fields = [
      ...(path === undefined ? [] : [`path: ${typeOf(path, "    ")}`]),
      ...(named.has("query") ? [`query: ${named.get("query")}`] : []),
      ...(body === undefined ? [] : [`body: ${named.get("body") ?? typeOf(body, "")}`]),
      `answer: ${named.get("answer") ?? typeOf(answerSchema(operation), "")}`,
    ];
    return `  /** ${operation.summary} */\n  "${name}": {\n${fields.map((field) => `    ${field};\n`).join("")}  };\n`;
  });
  return `/** Every operation with its path, query, body and answer. */\nexport interface Operations {\n${entries.join("")}}\n`;
}

function parametersSchema({ parameters = [] }: Operation, location: Parameter["in"]): Schema | undefined {
  const chosen = parameters.filter((parameter) => parameter.in === location);
  if (chosen.length === 0) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(
      chosen.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
    required: chosen.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** NDJSON is read line by line and not as one answer, a file is no JSON, and a page is for browsers. */
function isStreamOrPage({ responses }: Operation): boolean {
  const media = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  return ["application/x-ndjson", "application/octet-stream", "text/html"].some((type) => media.includes(type));
}

function answerSchema({ operationId, responses }: Operation): Schema {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const schema = success?.content?.["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${operationId} has no success response in JSON`);
  return schema;
}
