import type { ApiServer } from "../src/api/http/api-server.ts";

export interface RegisteredRoute {
  methods: string[];
  /** Such as /api/v1/domains/:id. */
  path: string;
}

/** Every route of the server, read from the tree that Fastify prints. */
export function registeredRoutes(app: ApiServer): RegisteredRoute[] {
  const table: string = app.printRoutes({ commonPrefix: false });
  const segments: string[] = [];
  const found: RegisteredRoute[] = [];
  for (const line of table.split("\n")) {
    const match = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line);
    if (match === null) continue;
    const [, indent = "", segment = "", methods] = match;
    segments.length = indent.length / 4;
    segments.push(segment);
    if (methods !== undefined) found.push({ methods: methods.split(", "), path: segments.join("") });
  }
  return found;
}
