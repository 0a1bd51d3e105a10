import { domainToUnicode } from "node:url";
import { AppError } from "../errors.ts";
import { parseAddress } from "../mail-address.ts";

export interface AddressPatterns {
  /** As recipients are compared: lower case, the domain as A-labels. */
  key: string;
  /** Regular expression of PostgreSQL for the address anywhere in a text. Use it without regard to case. */
  inText: string;
  /** The same for a field that is an address, with or without a name before it. */
  inMailbox: string;
}

/**
 * The address must not be found inside a longer one: erasing `ann@shop.test` leaves `joann@shop.test`, `o'ann@shop.test` and
 * `ann@shop.test.example`. In JSON, a line break before it is the letter n after a backslash.
 */
export function addressPatterns(text: string): AddressPatterns {
  const address = parseAddress(text);
  if ("problem" in address) throw new AppError("VALIDATION_ERROR", `The address ${address.problem}.`);
  const { key, domain } = address;
  const local = key.slice(0, -domain.length - 1);
  const domains = [...new Set([domain, domainToUnicode(domain)])].map(escaped).join("|");
  const inUrl = `${escaped(encodeURIComponent(local))}%40`;
  const anywhere = `(?:${escaped(local)}@|${inUrl})(?:${domains})`;
  const isSeparate = String.raw`(?:(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})|(?<![[:alnum:]._+-])(?<![[:alnum:]]'))`;
  return {
    key,
    inText: `${isSeparate}${anywhere}(?![[:alnum:]-]|\\.[[:alnum:]])`,
    inMailbox: `(?:^|<)${escaped(local)}@(?:${domains})(?:>|$)`,
  };
}

/**
 * Every character but letters and digits gets a backslash, which makes it an ordinary one. Of letters outside ASCII both cases are named:
 * whether PostgreSQL knows them depends on the locale of the database.
 */
function escaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/gu, (character) =>
    /[\p{L}\p{N}]/u.test(character) ? `[${character}${character.toUpperCase()}]` : `\\${character}`,
  );
}
