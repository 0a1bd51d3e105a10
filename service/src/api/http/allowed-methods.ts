import type { FastifyInstance } from "fastify";

/** Knows for a path that has no route for a method which methods it does have: the difference between 404 and 405. */
export function trackMethods(app: FastifyInstance): (path: string) => string[] {
  const methodsOf = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methodsOf.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    methodsOf.set(url, known);
  });
  return (path) => {
    const matching = [...methodsOf.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted();
  };
}

function patternOf(url: string): RegExp {
  const parts = url.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}$`);
}
