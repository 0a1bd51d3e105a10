import { SnsError } from "./sns-error.ts";

export interface SnsRequest {
  form: URLSearchParams;
  /** API calls carry a signature; links in messages do not. */
  isSigned: boolean;
}

export function requireParameter({ form }: SnsRequest, name: string): string {
  const value = form.get(name);
  if (value === null || value === "") throw new SnsError("InvalidParameter", `Invalid parameter: ${name}`);
  return value;
}

/** `Attributes.entry.1.key=…&Attributes.entry.1.value=…`, the format of a map in the query protocol. */
export function readAttributes({ form }: SnsRequest, name: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (let number = 1; ; number++) {
    const key = form.get(`${name}.entry.${number}.key`);
    if (key === null) return attributes;
    attributes[key] = form.get(`${name}.entry.${number}.value`) ?? "";
  }
}
