import { SnsError } from "./sns-error.ts";

export interface SnsRequest {
  form: URLSearchParams;
  /** Links in mails and messages carry no signature; API calls do. */
  isSigned: boolean;
}

export function required({ form }: SnsRequest, name: string): string {
  const value = form.get(name);
  if (value === null || value === "") throw new SnsError("InvalidParameter", `Invalid parameter: ${name}`);
  return value;
}

/** `Attributes.entry.1.key=…&Attributes.entry.1.value=…`, as the query protocol spells a map. */
export function attributesIn({ form }: SnsRequest, name: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (let number = 1; ; number++) {
    const key = form.get(`${name}.entry.${number}.key`);
    if (key === null) return attributes;
    attributes[key] = form.get(`${name}.entry.${number}.value`) ?? "";
  }
}
