/** The subset of JSON schema that openapi.json uses. The generator throws on any other keyword instead of writing a wrong type. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

const typeKeywords = "$ref type const enum anyOf oneOf items properties required additionalProperties description";
/** These keywords restrict the value without changing its type. */
const restrictingKeywords =
  "default example format pattern minimum maximum minLength maxLength minItems maxItems propertyNames";
const supportedKeywords = new Set(`${typeKeywords} ${restrictingKeywords}`.split(" "));

export function declaration(name: string, schema: Schema): string {
  const alternatives = requiredAlternatives(schema);
  const { description, ...bare } = schema;
  const comment = description === undefined ? "" : `/** ${description} */\n`;
  const body = typeOf(bare, "");
  return alternatives === "" && schema.type === "object" && body.startsWith("{")
    ? `${comment}export interface ${name} ${body}`
    : `${comment}export type ${name} = ${body}${alternatives};`;
}

/** An `anyOf` that only requires fields means that the caller must set at least one of them. It may restrict these fields. */
function requiredAlternatives({ anyOf, properties = {} }: Schema): string {
  if (anyOf === undefined || !anyOf.every(isOnlyRequired)) return "";
  const oneOf = anyOf.map(({ required = [], properties: restricted = {} }) =>
    typeOf({ type: "object", properties: pick({ ...properties, ...restricted }, required), required }, ""),
  );
  return ` & (\n  | ${oneOf.map((text) => text.replaceAll(/\s+/g, " ")).join("\n  | ")}\n)`;
}

function isOnlyRequired(schema: Schema): boolean {
  return (
    schema.required !== undefined && Object.keys(schema).every((key) => key === "required" || key === "properties")
  );
}

function pick(properties: Record<string, Schema>, names: string[]): Record<string, Schema> {
  return Object.fromEntries(
    names.map((name) => {
      const { description: _, ...schema } = properties[name] ?? {};
      return [name, schema];
    }),
  );
}

export function typeOf(schema: Schema, indent: string): string {
  const unknown = Object.keys(schema).filter((keyword) => !supportedKeywords.has(keyword));
  if (unknown.length > 0) throw new Error(`schema-type.ts does not support the keyword ${unknown.join(", ")}`);
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
      throw new Error(`schema-type.ts does not support the type ${type}`);
  }
}

/** An optional field may be undefined, because JSON and queries omit undefined values. */
function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  if (Object.keys(properties).length === 0) return `Record<string, ${valueType(additionalProperties, indent)}>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, { description, ...schema }]) => {
    const comment = description === undefined ? "" : `${inner}/** ${description} */\n`;
    const type = typeOf(schema, inner);
    const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${comment}${inner}${field};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

function valueType(values: Schema["additionalProperties"], indent: string): string {
  if (typeof values !== "object" || Object.keys(values).length === 0) return "unknown";
  return typeOf(values, indent);
}

/** The SDK needs only the input form of a schema, so `SendRequestInput` becomes `SendRequest`. `Error` is a JavaScript global. */
export function typeName(name: string): string {
  return name === "Error" ? "ErrorBody" : name.replace(/Input$/, "");
}
