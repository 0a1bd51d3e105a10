import type { FastifyInstance } from "fastify";
import type { z } from "zod";

/** What holds the schemas inside of a schema; each kind of Zod's schemas has some of them. */
interface Parts {
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  out?: z.core.$ZodType;
  options?: z.core.$ZodType[];
}

/**
 * Says whether the interface defines a field with this name, in the body, query, path or headers of any route. A problem can also name a
 * field that the caller made up; such a name is part of the payload.
 */
export function collectPublishedFields(app: FastifyInstance): (name: string) => boolean {
  const names = new Set(["body"]);
  const visited = new Set<z.core.$ZodType>();

  function visit(schema: z.core.$ZodType): void {
    if (visited.has(schema)) return;
    visited.add(schema);
    // The types of Zod name the parts of each kind only.
    // oxlint-disable-next-line no-underscore-dangle -- the name that Zod documents for libraries
    const { shape = {}, element, innerType, in: input, out, options = [] } = schema._zod.def as Parts;
    for (const name of Object.keys(shape)) names.add(name.toLowerCase());
    for (const part of [...Object.values(shape), element, innerType, input, out, ...options])
      if (part !== undefined) visit(part);
  }

  app.addHook("onRoute", ({ schema }) => {
    for (const part of [schema?.body, schema?.querystring, schema?.params, schema?.headers])
      if (isZod(part)) visit(part);
  });
  return (name) => names.has(name.toLowerCase());
}

function isZod(schema: unknown): schema is z.core.$ZodType {
  return typeof schema === "object" && schema !== null && "_zod" in schema;
}
