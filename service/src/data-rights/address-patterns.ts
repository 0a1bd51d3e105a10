import { domainToUnicode } from "node:url";
import { AppError } from "../errors.ts";
import { parseAddress } from "../mail-address.ts";

export interface AddressPatterns {
  /** For `ilike`: every text that `inText` matches matches this one too, which takes a small part of the time. */
  rough: string;
  /** As recipients are compared: lower case, the domain as A-labels. */
  key: string;
  /** Regular expression of PostgreSQL for the address anywhere in a text. Use it without regard to case. */
  inText: string;
  /** The same for a field that is an address, with or without a name before it. It does not find the address in the name: `inName` does. */
  inMailbox: string;
}

/** SQL: of the pattern `inText`, the pattern for the address in the name of a mailbox: `"jane@x.test via Shop" <noreply@shop.test>`. */
export const inName = (inText: string) => `(${inText}::text || '(?=.*<)')`;

/**
 * The address must not be found inside a longer one: erasing `ann@shop.test` leaves `joann@shop.test`, `o'ann@shop.test` and
 * `ann@shop.test.example`. In JSON, a line break before it is the letter n after a backslash. In a URL, also in one that is a parameter of
 * another, a percent code before it ends what comes before, unless the code is a character that an address continues with.
 */
export function addressPatterns(text: string): AddressPatterns {
  const address = parseAddress(text);
  if ("problem" in address) throw new AppError("VALIDATION_ERROR", `The address ${address.problem}.`);
  const { key, domain } = address;
  const local = key.slice(0, -domain.length - 1);
  const unicode = domainToUnicode(domain);
  // An accent is a part of its letter, or a character after it.
  const domains = [...new Set([domain, unicode, unicode.normalize("NFD")])];
  const spelled = [...new Set([...domains, ...domains.map(encodeURIComponent)])].map(inAnySpelling).join("|");
  const isSeparate = String.raw`(?:(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})|(?<![[:alnum:]._+-])(?<![[:alnum:]]'))`;
  const isAfterCode = "(?<=%(?:25)*(?:[01][0-9a-f]|2[0-9acf]|3[a-f]|5[b-e]|60|7[b-e]))(?<![[:alnum:]]%(?:25)*27)";
  const anywhere = String.raw`${isSeparate}${inAnySpelling(local)}(?:\\*@|%(?:25)*40|&#64;|&#x40;|&commat;)`;
  const inUrl = `${isAfterCode}${inAnySpelling(local)}%(?:25)*40`;
  const isEnd = String.raw`(?![[:alnum:]-]|\.[[:alnum:]])`;
  const runs = local.match(/[a-z0-9]+/g)?.toSorted((one, other) => other.length - one.length) ?? [];
  return {
    key,
    rough: `%${runs[0] ?? ""}%`,
    inText: `(?:${anywhere}|${inUrl})(?:${spelled})${isEnd}`,
    inMailbox: `(?<![[:alnum:]!#$%&'*+/=?^_\`{|}~.-])${escaped(local)}@(?:${domains.map(escaped).join("|")})${isEnd}(?!.*<)`,
  };
}

/** Each character as it is, after backslashes as in a quoted name, or as the percent code of a URL. */
function inAnySpelling(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]|[^A-Za-z0-9]/gu, (character) => {
    if (/[\p{L}\p{N}]/u.test(character)) return escaped(character);
    const code = character.codePointAt(0) ?? 0;
    const hex = code < 128 ? `|%(?:25)*${code.toString(16).padStart(2, "0")}` : "";
    return String.raw`(?:\\*${escaped(character)}${hex})`;
  });
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
