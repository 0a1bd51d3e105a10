import type { FastifyInstance } from "fastify";
import { consolePaths } from "./console/console-paths.ts";

/** Pages, not endpoints: to a program they do not exist (interface, section 9: no endpoint without its version). */
const pages: ReadonlySet<string> = new Set(consolePaths);

/** Returns a function that lists the methods of a path. An unknown path has none and gets 404, a known one gets 405. */
export function trackAllowedMethods(app: FastifyInstance): (path: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    if (pages.has(url)) return;
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  return (path) => {
    const matching = [...routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted();
  };
}

function patternOf(url: string): RegExp {
  const segments = url.split("/").map((segment) => (segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment)));
  return new RegExp(`^${segments.join("/")}$`);
}
