import { AppError, type ErrorCode, errorCodes } from "../../errors.ts";
import { findRouteAccess } from "../auth/route-access.ts";
import { codeSamples } from "./code-samples.ts";
import { errorCatalogue } from "./error-catalogue.ts";
import { errorBody } from "./error-response.ts";
import { headersOf, responseHeaders } from "./response-headers.ts";

type Schema = { [keyword: string]: unknown };
type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { $ref: string }> }>;

interface Response {
  description: string;
  content?: Content;
  headers?: Record<string, unknown>;
}

interface Parameter {
  required?: boolean;
  schema: Schema;
  examples?: Record<string, unknown>;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
  "x-codeSamples"?: { lang: string; label: string; source: string }[];
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    headers?: Record<string, unknown>;
    examples?: Record<string, unknown>;
  };
}

/** Completes the document that the plugins generate from the Zod schemas. */
export function completeDocument(document: ApiDocument): void {
  const { schemas } = document.components;
  dropUnusedSchemas(schemas, document);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) addForbidden(method, path, operation);
  }
  const entries = Object.values(document.paths).flatMap((methods) => Object.entries(methods));
  const operations = entries.map(([, operation]) => operation);
  for (const [method, operation] of entries) {
    showExample(operation, schemas);
    hideOptionalParameters(operation);
    describeResponses(method, operation, schemas);
    showErrors(operation);
    addSample(operation);
  }
  document.components.headers = responseHeaders;
  const shown = errorCodes.filter((code) => operations.some((operation) => codesOf(operation).includes(code)));
  document.components.examples = Object.fromEntries(shown.map((code) => [code, { value: exampleError(code) }]));
  const ofRequests = new Set(operations.flatMap(({ requestBody }) => namesIn(requestBody)));
  for (const [name, schema] of Object.entries(schemas)) if (!ofRequests.has(name)) allowNewFields(schema);
  for (const { responses } of operations) allowNewFields(responses);
  dropSafeIntegerBounds(document);
  nameDefaults(document);
}

/** The Zod plugin emits each named schema twice, for input and output. This removes the schemas without a reference. */
function dropUnusedSchemas(schemas: Record<string, Schema>, document: unknown): void {
  const text = JSON.stringify(document);
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"${prefix}${name}"`));
  for (const name of unused) delete schemas[name];
  // Removing a schema can leave the schemas it referred to without a reference.
  if (unused.length > 0) dropUnusedSchemas(schemas, document);
}

const prefix = "#/components/schemas/";

function referred(schema: Schema | undefined, schemas: Record<string, Schema>): Schema | undefined {
  return typeof schema?.$ref === "string" ? schemas[schema.$ref.slice(prefix.length)] : schema;
}

/** Every route with a role answers 403 to a user without it, or without the TOTP that the account requires. */
function addForbidden(method: string, path: string, { responses }: Operation): void {
  const access = findRouteAccess(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"));
  const refused = responses["401"];
  if (access === undefined || access.public || refused === undefined) return;
  if (access.role === "any-user") return;
  const description = `\`FORBIDDEN\`: ${errorCatalogue.FORBIDDEN.meaning}`;
  responses["403"] = { ...structuredClone(refused), description };
}

/** The schema of a body carries its example; the reference page shows the one beside the schema. */
function showExample({ requestBody }: Operation, schemas: Record<string, Schema>): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const example = referred(media.schema, schemas)?.example;
    if (example !== undefined) media.example = example;
  }
}

/** Without this the reference page puts every parameter into its sample request, and some exclude each other. */
function hideOptionalParameters({ parameters = [] }: Operation): void {
  for (const parameter of parameters.filter(({ required }) => required !== true)) {
    const { example, "x-default": byDefault, enum: values } = parameter.schema;
    const value = example ?? byDefault ?? (Array.isArray(values) ? values[0] : undefined);
    parameter.examples = { default: { ...(value === undefined ? {} : { value }), "x-disabled": true } };
  }
}

/** A response that only refers to a named schema has no description of its own. */
function describeResponses(
  method: string,
  { operationId, responses }: Operation,
  schemas: Record<string, Schema>,
): void {
  const isLimitedRead = method === "get" && "429" in responses;
  for (const [status, response] of Object.entries(responses)) {
    const described = referred(response.content?.["application/json"]?.schema, schemas)?.description;
    if (response.description === "Default Response" && typeof described === "string") response.description = described;
    response.headers = headersOf({ operationId, isLimitedRead }, Number(status));
  }
}

function showErrors({ operationId, responses }: Operation): void {
  for (const [status, { content }] of Object.entries(responses)) {
    const codes = codesOf({ operationId, responses: { [status]: {} } });
    const media = content?.["application/json"];
    if (media === undefined || codes.length === 0) continue;
    media.examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  }
}

/** The codes of these statuses, without malformed HTTP, which no client library produces. */
function codesOf({ operationId, responses }: { operationId: string; responses: Record<string, unknown> }): ErrorCode[] {
  const others: ErrorCode[] = operationId === "sendBatch" ? ["BAD_REQUEST"] : ["BAD_REQUEST", "BATCH_REFUSED"];
  return errorCodes.filter((code) => !others.includes(code) && String(errorCatalogue[code].status) in responses);
}

function exampleError(code: ErrorCode) {
  const { message, details } = errorCatalogue[code].example;
  const error = new AppError(code, message, details === undefined ? {} : { details });
  return errorBody(error, "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", "https://mail.example.com");
}

function addSample(operation: Operation): void {
  const source = codeSamples[operation.operationId];
  if (source !== undefined) operation["x-codeSamples"] = [{ lang: "node", label: "Postern SDK", source }];
}

function namesIn(node: unknown): string[] {
  return [...JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name);
}

/** Later versions may add fields to a response, so a strict client must accept them. Requests stay strict. */
function allowNewFields(node: unknown): void {
  forEachObject(node, (schema) => {
    if (schema.additionalProperties === false) delete schema.additionalProperties;
  });
}

/** Zod limits every integer to those that JavaScript represents exactly, which says nothing about the interface. */
function dropSafeIntegerBounds(node: unknown): void {
  forEachObject(node, (schema) => {
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  });
}

/** Zod leaves the default of a converted parameter out, so its schema carries it as `x-default`. */
function nameDefaults(node: unknown): void {
  forEachObject(node, (schema) => {
    if (!("x-default" in schema)) return;
    schema.default = schema["x-default"];
    delete schema["x-default"];
  });
}

function forEachObject(node: unknown, change: (object: Schema) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) change(node as Schema);
  for (const child of Object.values(node)) forEachObject(child, change);
}
