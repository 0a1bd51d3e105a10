/** The part of JSON schema that openapi.json uses. Anything else ends the generator: better no type than a wrong one. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  description?: string;
}

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
}

const meaningful = "$ref type const enum anyOf oneOf items properties required additionalProperties description";
/** They narrow a value without changing its type. */
const narrowing = "example format pattern minimum maximum minLength maxLength minItems";
const understood = new Set(`${meaningful} ${narrowing}`.split(" "));

/** What callers use. Paths outside /api/v1/ are for load balancers, and feedback comes from the provider. */
function isForCallers(path: string): boolean {
  return path.startsWith("/api/v1/") && !path.startsWith("/api/v1/feedback/");
}

/** The text of src/api-types.ts. */
export function apiTypesText(document: ApiDocument): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => isForCallers(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );
  return [
    "// Written by `npm run openapi` from service/openapi.json. Do not edit.",
    ...Object.entries(document.components.schemas).map(([name, schema]) => declaration(typeName(name), schema)),
    ...operations.flatMap(({ operation }) => partsOf(operation).map(({ name, schema }) => declaration(name, schema))),
    operationTable(operations),
  ].join("\n\n");
}

/** What an operation takes and answers, where it has no name of its own in the document. */
function partsOf(operation: Operation) {
  const stem = operation.operationId.replace(/^./, (first) => first.toUpperCase());
  const parts = [
    { kind: "query", name: `${stem}Query`, schema: parametersSchema(operation, "query") },
    { kind: "body", name: `${stem}Body`, schema: operation.requestBody?.content["application/json"]?.schema },
    { kind: "answer", name: `${stem}Answer`, schema: answerSchema(operation) },
  ];
  return parts.flatMap(({ kind, name, schema }) =>
    schema === undefined || schema.$ref !== undefined ? [] : [{ kind, name, schema }],
  );
}

function operationTable(operations: { name: string; operation: Operation }[]): string {
  const entries = operations.map(({ name, operation }) => {
    const named = new Map(partsOf(operation).map((part) => [part.kind, part.name]));
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
  return `/** Every operation, with what it takes and what it answers. */\nexport interface Operations {\n${entries.join("")}}\n`;
}

function parametersSchema({ parameters = [] }: Operation, place: Parameter["in"]): Schema | undefined {
  const chosen = parameters.filter((parameter) => parameter.in === place);
  if (chosen.length === 0) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(
      chosen.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
    required: chosen.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

function answerSchema({ operationId, responses }: Operation): Schema {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const schema = success?.content?.["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${operationId} has no successful answer in JSON`);
  return schema;
}

function declaration(name: string, schema: Schema): string {
  const alternatives = requiredAlternatives(schema);
  const { description, ...bare } = schema;
  const comment = description === undefined ? "" : `/** ${description} */\n`;
  const body = typeOf(bare, "");
  return alternatives === "" && body.startsWith("{")
    ? `${comment}export interface ${name} ${body}`
    : `${comment}export type ${name} = ${body}${alternatives};`;
}

/** `anyOf` with nothing but `required` in it: at least one of these fields must be given. */
function requiredAlternatives({ anyOf, properties = {} }: Schema): string {
  if (anyOf === undefined || !anyOf.every(isOnlyRequired)) return "";
  const oneOf = anyOf.map(({ required = [] }) =>
    typeOf({ type: "object", properties: pick(properties, required), required }, ""),
  );
  return ` & (\n  | ${oneOf.map((text) => text.replaceAll(/\s+/g, " ")).join("\n  | ")}\n)`;
}

function isOnlyRequired(schema: Schema): boolean {
  return Object.keys(schema).join() === "required";
}

function pick(properties: Record<string, Schema>, names: string[]): Record<string, Schema> {
  return Object.fromEntries(
    names.map((name) => {
      const { description: _, ...schema } = properties[name] ?? {};
      return [name, schema];
    }),
  );
}

function typeOf(schema: Schema, indent: string): string {
  const unknown = Object.keys(schema).filter((keyword) => !understood.has(keyword));
  if (unknown.length > 0) throw new Error(`teach api-types-text.ts the keyword ${unknown.join(", ")}`);
  if (schema.$ref !== undefined) return typeName(schema.$ref.replace("#/components/schemas/", ""));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined && !alternatives.every(isOnlyRequired)) {
    return alternatives.map((alternative) => typeOf(alternative, indent)).join(" | ");
  }
  return [schema.type]
    .flat()
    .map((type) => plainTypeOf(type, schema, indent))
    .join(" | ");
}

function plainTypeOf(type: string | undefined, schema: Schema, indent: string): string {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
    case "null":
      return type;
    case "integer":
      return "number";
    case "array": {
      const item = typeOf(schema.items ?? {}, indent);
      return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
    }
    case "object":
      return objectType(schema, indent);
    default:
      throw new Error(`teach api-types-text.ts the type ${type}`);
  }
}

/** What may be left out may also be undefined: JSON and queries leave it out. */
function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, { description, ...schema }]) => {
    const comment = description === undefined ? "" : `${inner}/** ${description} */\n`;
    const type = typeOf(schema, inner);
    const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${comment}${inner}${field};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

/** `SendRequestInput` is the form in which a request is written, which is the only one here; `Error` is taken in JavaScript. */
function typeName(name: string): string {
  return name === "Error" ? "ErrorBody" : name.replace(/Input$/, "");
}
