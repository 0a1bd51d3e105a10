import type { Exchange } from "./breaking-proxy.ts";

type Fields = Record<string, unknown>;

export function onSend(change: (exchange: Exchange) => unknown): (exchange: Exchange) => unknown {
  return (exchange) => (exchange.path.split("?")[0] === "/api/v1/send" ? change(exchange) : undefined);
}

export function onStatus(change: (exchange: Exchange) => unknown): (exchange: Exchange) => void {
  return (exchange) =>
    void (exchange.path.split("?")[0]?.endsWith("/status") && exchange.status === 200 && change(exchange));
}

export function onList(path: string, change: (row: Fields) => unknown): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.method === "GET" && exchange.path === path && Array.isArray(exchange.body))
      exchange.body.forEach(change);
  };
}

export function onEntries(change: (entry: Fields) => unknown): (exchange: Exchange) => void {
  return ({ path, body }) => {
    if (path.startsWith("/api/v1/suppression?") && Array.isArray(body.data)) body.data.forEach(change);
  };
}

export function onEvents(change: (event: Fields) => unknown): (exchange: Exchange) => void {
  return ({ path, body }) => {
    if (path.startsWith("/api/v1/events") && Array.isArray(body.data?.events)) body.data.events.forEach(change);
  };
}

/** Both lists that have pages: events and suppressions. */
export function onPages(change: (exchange: Exchange, pagination: Fields) => unknown): (exchange: Exchange) => void {
  return (exchange) => {
    const pagination = exchange.body?.pagination ?? exchange.body?.data?.pagination;
    if (pagination !== undefined) change(exchange, pagination);
  };
}

export function replace(fields: Fields | undefined, name: string, change: (value: unknown) => unknown): void {
  if (fields !== undefined && Object.hasOwn(fields, name)) fields[name] = change(fields[name]);
}

export function rename(fields: Fields, from: string, to: string): void {
  fields[to] = fields[from];
  delete fields[from];
}

export function replaceStatus(answer: Exchange, from: number, to: number): void {
  if (answer.status === from) answer.status = to;
}
