import { badRequest, SesError } from "./ses-error.ts";

const maxPageSize = 1000;

/** The token is an encoded position with a prefix, so that the simulator can reject any other token. */
export function pageOf<Row>(
  rows: Row[],
  pageSize = 100,
  token?: string,
): { page: Row[]; next: { NextToken?: string } } {
  if (!Number.isInteger(pageSize) || pageSize < 0 || pageSize > maxPageSize) {
    throw badRequest(`PageSize must be between 0 and ${maxPageSize}`);
  }
  const start = token === undefined ? 0 : positionOf(token);
  const end = start + (pageSize || 100);
  const next = end < rows.length ? { NextToken: Buffer.from(`from:${end}`).toString("base64url") } : {};
  return { page: rows.slice(start, end), next };
}

function positionOf(token: string): number {
  const position = /^from:(\d+)$/.exec(Buffer.from(token, "base64url").toString())?.[1];
  if (position === undefined) throw new SesError("InvalidNextTokenException", "The specified token is not valid.");
  return Number(position);
}
