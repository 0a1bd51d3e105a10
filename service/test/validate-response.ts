import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type DocumentedResponse = { headers?: Record<string, unknown> };
type Operation = { responses: Record<string, DocumentedResponse> };
type ApiDocument = { paths: Record<string, Record<string, Operation>> };

interface Answer {
  method: string;
  path: string;
  status: number;
  contentType: string;
  body: string;
}

const document: ApiDocument = JSON.parse(
  readFileSync(new URL("../openapi.json", import.meta.url), "utf8"),
  refuseOtherFields,
);
const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "openapi");

/** Clients must accept new fields, but every field that this version returns is documented. */
function refuseOtherFields(_key: string, value: unknown): unknown {
  const isObjectSchema = typeof value === "object" && value !== null && "properties" in value && "type" in value;
  return isObjectSchema && value.type === "object" ? { additionalProperties: false, ...value } : value;
}

const declaredHeaders = ["ratelimit", "ratelimit-policy", "retry-after", "www-authenticate", "idempotent-replayed"];

/** Throws unless openapi.json declares each of these headers for the status that has it. */
export function requireDeclaredHeaders(answer: Answer, headers: Record<string, unknown>): void {
  const { headers: declared = {} } = responseOf(answer) ?? {};
  const names = Object.keys(declared).map((name) => name.toLowerCase());
  const missing = declaredHeaders.filter((name) => headers[name] !== undefined && !names.includes(name));
  if (responseOf(answer) === undefined || missing.length === 0) return;
  throw new Error(
    `${answer.method} ${answer.path} ${answer.status} has headers without a declaration: ${missing.join(", ")}`,
  );
}

function responseOf({ method, path, status }: Answer): DocumentedResponse | undefined {
  const pattern = patternOf(path);
  return pattern === undefined ? undefined : document.paths[pattern]?.[method.toLowerCase()]?.responses[status];
}

/** Throws unless openapi.json allows this status for the operation and this body for the status. */
export function requireDocumented(answer: Answer): void {
  if (answer.method === "HEAD" || !answer.contentType.startsWith("application/json")) return;
  const where = `${answer.method} ${answer.path} ${answer.status}`;
  const pointer = schemaPointer(answer);
  if (pointer === undefined) throw new Error(`${where} is not in openapi.json`);
  const validate = ajv.getSchema(`openapi#${pointer}`);
  if (validate === undefined) throw new Error(`${where} has no schema at ${pointer}`);
  if (!validate(JSON.parse(answer.body))) {
    throw new Error(`${where} does not fit openapi.json: ${ajv.errorsText(validate.errors)}\n${answer.body}`);
  }
}

function schemaPointer({ method, path, status }: Answer): string | undefined {
  const pattern = patternOf(path);
  const operation = pattern === undefined ? undefined : document.paths[pattern]?.[method.toLowerCase()];
  // An unknown operation has no entry; its error response still has the published shape.
  if (pattern === undefined || operation === undefined) {
    return status === 404 || status === 405 ? "/components/schemas/Error" : undefined;
  }
  if (operation.responses[status] === undefined) return undefined;
  const route = pattern.replaceAll("~", "~0").replaceAll("/", "~1");
  const pointer = `/paths/${route}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
  // The pointer is part of a URI fragment, where braces are not allowed.
  return encodeURI(pointer);
}

/** A path without parameters goes before one with them, as OpenAPI says. */
function patternOf(path: string): string | undefined {
  const found = Object.keys(document.paths).filter((candidate) => matches(candidate, path));
  return found.find((candidate) => !candidate.includes("{")) ?? found[0];
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split("/").map((part) => (part.startsWith("{") ? "[^/]+" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}$`).test(path.split("?")[0] ?? "");
}
