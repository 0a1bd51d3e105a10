import { readFileSync } from "node:fs";
import { findRouteAccess } from "../../src/api/auth/route-access.ts";
import type { Canaries } from "../leaks/canaries.ts";

export interface MarkedRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or unchanged if it is text. */
  body?: unknown;
}

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { "application/json"?: { example?: unknown } } };
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
}

/**
 * For every operation that needs a credential, requests with a marker in each parameter and in each field of its example body, as text, as
 * an address, as a URL, in a list and as a name. So a new route, field or message is part of the proof without a change of it.
 */
export function markedOperations(canaries: Canaries): { name: string; requests: MarkedRequest[] }[] {
  const { paths }: ApiDocument = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([lower, operation]) => {
      const method = lower.toUpperCase();
      const access = findRouteAccess(method, path.replaceAll(/\{(\w+)\}/g, ":$1"));
      if (access === undefined || access.public || path === "/api/v1/auth/logout") return [];
      return [{ name: `${method} ${path}`, requests: requestsOf(canaries, { method, path, operation }) }];
    }),
  );
}

function requestsOf(
  canaries: Canaries,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): MarkedRequest[] {
  const marked = path.replaceAll(/\{\w+\}/g, () => canaries.make("path or field"));
  const plain = path.replaceAll(/\{\w+\}/g, "7");
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const example = operation.requestBody?.content["application/json"]?.example;
  const bodies = example === undefined ? [] : markedBodies(canaries, example);
  return [
    { method, path: marked, ...(example !== undefined && { body: example }) },
    { method, path: `${plain}?${canaries.make("path or field")}=${canaries.make("path or field")}` },
    ...queries.map(({ name }) => ({ method, path: `${plain}?${name}=${canaries.make("path or field")}` })),
    ...bodies.map((body) => ({ method, path: plain, body })),
  ];
}

/** The example with one field changed, for each field and each kind of value, and bodies that cannot be read. */
function markedBodies(canaries: Canaries, example: unknown): unknown[] {
  const text = () => canaries.make("body");
  const values = () => [
    text(),
    `${canaries.make("address")}@example.io`,
    `${canaries.make("name")} <${canaries.make("address")}@${text()}`,
    `https://${text()}.internal:99/${text()}`,
    `http://10.0.0.1/${text()}`,
    [text(), { [canaries.make("path or field")]: text() }],
    { [canaries.make("path or field")]: text(), [`${canaries.make("path or field")}.to[0]`]: text() },
    `${text()}\r\n${text()}`,
    `${text()}.exe`,
    `2020-01-01T00:00:00Z${text()}`,
    text().repeat(200),
  ];
  const fields = pathsOf(example).flatMap((path) => values().map((value) => withValue(example, path, value)));
  return [
    ...fields,
    withValue(example, [canaries.make("path or field")], text()),
    [text()],
    text(),
    `{"${canaries.make("path or field")}":"${text()}"`,
    `{"${canaries.make("path or field")}":"${text()}\\u0000"}`,
    JSON.stringify({ __proto_: text() }).replace("__proto_", "__proto__"),
  ];
}

type Path = (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    pathsOf(part, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

function withValue(value: unknown, [name, ...rest]: Path, changed: unknown): unknown {
  if (name === undefined) return changed;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) };
  const fields = copy as Record<string | number, unknown>;
  fields[name] = withValue(fields[name], rest, changed);
  return copy;
}
