import { seededRandom } from "../seeded-random.ts";

/** A text submitted as an address. */
export interface AddressCase {
  text: string;
  /** The required result of parsing a well-formed text; undefined where any result is allowed. */
  wellFormed: { ascii: string; name: string | undefined; isBare: boolean } | undefined;
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+/=?^_`{|}~-";
const plainLabels = ["shop", "b", "mail-1", "example", "x9", "a-b--c", "1and1", "l".repeat(63)];
const topLabels = ["test", "co", "io", "xn--p1ai"];

/** Encoded by Python's implementation of RFC 3492, so that ours is not compared with itself. */
const encodedLabels = [
  ["bücher", "xn--bcher-kva"],
  ["école", "xn--cole-9oa"],
  ["faß", "xn--fa-hia"],
  ["пример", "xn--e1afmkfd"],
  ["испытание", "xn--80akhbyknj4f"],
  ["ελληνικά", "xn--hxargifdar"],
  ["日本語", "xn--wgv71a119e"],
  ["ひらがな", "xn--v8j0cwa6g"],
  ["カタカナ名", "xn--lcka3d1b1633a"],
  ["中文", "xn--fiq228c"],
  ["한국어", "xn--3e0bk47br7k"],
  ["ไทย", "xn--o3cw4h"],
  ["עברית", "xn--5dbqzzl"],
  ["العربية", "xn--mgbcd4a2b0d2b"],
  ["हिन्दी", "xn--j2bd4cyah0f"],
  ["ıx", "xn--x-eka"],
] as const;

const names = [
  "Jane",
  "Jane Doe",
  "Dr. J. O'Neill",
  "Müller Jörg",
  "日本語の名前 と 名字",
  "😀😀 Shop",
  "a  b",
  "=?utf-8?q?x=40y?=",
  "é".repeat(128),
];
/** These need the quotes. */
const quotedNames = [
  "Doe, Jane",
  'The "Shop" \\',
  "x@evil.io",
  "<x@evil.io>, y",
  "Ünï (EU): [1];",
  "=?utf-8?b?DQpCY2M6?=, x",
];

/** Fragments of the inputs that are known to break address parsers. */
const fragments = [
  ..."\"()<>,;:@\\[]. %!'`=?-_",
  ..."\r\n\0\t\x0b\x1b\x7f\u0085\u009b\u00a0\u2028\u2029",
  ..."\u3002\uff0e\uff61\uff20\uff1c\uff1e\uff0c\ufe52\u2024\u2026",
  ..."\u200b\u200d\u202e\u2066\u00ad\ufeff\u034f\ufe0f",
  ..."\u212aı\u0130\u017fß\u0430\u03bf\u13a0ü日\u0308½²\u2100\u{10330}😀",
  "\ud800",
  "\udc00",
  "..",
  "@@",
  "a@b.co",
  "<a@b.co>",
  "xn--",
  "xn--a",
  "\r\nBcc: x@evil.io",
  "\n\n",
  "%0d%0a",
  "%00",
  "%2e",
  "=?utf-8?q?=0d=0aBcc:?=",
  "=?utf-8?b?",
  "?=",
  "(comment)",
  '"quoted"',
  "[1.2.3.4]",
  "127.0.0.1",
  "0x7f.1",
  "0",
];

const randomFragments = [...fragments, "a", "b", ".co"];

const attacks = [
  "a@b.co>,<c@d.co",
  '"a@evil.io"@b.co',
  '"a"@b.co',
  '"a\\"@evil.io"@b.co',
  "a@b.co\r\nBcc: x@evil.io",
  "=?utf-8?q?x=40y?=@b.co",
  "=?utf-8?q?a=40evil.io=3e=00?=@b.co",
  "=?x?q?a=40evil.io=3e=20?=@b.co",
  "a@b.co,c@d.co",
  "<a@b.co>x",
  "<a@b.co><c@d.co>",
  "a@[1.2.3.4]",
  "a@[IPv6:::1]",
  "a@b..co",
  "a@xn--.co",
  "a@xn--a.co",
  "a@xn--qei.ws",
  "a@b\u3002co",
  "a@\uff42\uff0eco",
  "a\uff20b.co",
  "@c.co,@d.co:a@b.co",
  "a%c.co@b.co",
  "c.co!a@b.co",
  "Friends:a@b.co,c@d.co;",
  "a(evil@x.io)@b.co",
  "a@(evil.io)b.co",
  "a@b.co(evil.io)",
  "a@evil.io(<a@b.co>",
  "a@evil.io <a@b.co>",
  '"a@evil.io" <a@b.co>',
  'a" <x@evil.io> "b <a@b.co>',
  "a@p\u0430ypal.com",
  "a@b.co:25",
  "a@b.co/../x",
  "a@b%2eevil.co",
  "a@b.co\\@evil.io",
  "a@evil.io#b.co",
  "a@b.co?x",
  "a@0x7f.1",
  "a@b.co.",
  "a@b.co\0.evil.io",
  "a@b.co\u2028",
];

/** The same seed gives the same cases: a third are well-formed, the others are broken in one of three ways. */
export function createAddressCases(seed: number): () => AddressCase {
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const oneOf = <Value>(values: ArrayLike<Value>): Value => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error("the list to choose from is empty");
    return value;
  };
  const some = (most: number, make: () => string, between = "") =>
    Array.from({ length: 1 + below(most) }, make).join(between);

  const label = (): readonly [written: string, encoded: string] => {
    if (random() < 0.6) {
      const plain = oneOf(plainLabels);
      return [oneOf([plain, plain, plain.toUpperCase(), fullWidth(plain)]), plain];
    }
    const [word, encoded] = oneOf(encodedLabels);
    return [oneOf([word, word.normalize("NFD"), upperCase(word), encoded, encoded.toUpperCase()]), encoded];
  };

  const wellFormed = (): Required<AddressCase> => {
    const local = some(3, () => some(8, () => oneOf(letters)), ".");
    const labels = [...Array.from({ length: 1 + below(3) }, label), [...Array(2).fill(oneOf(topLabels))] as const];
    const dot = random() < 0.8 ? "." : oneOf("\u3002\uff0e\uff61");
    const address = `${local}@${labels.map(([written]) => written).join(dot)}`;
    const ascii = `${local}@${labels.map(([, encoded]) => encoded).join(".")}`;
    const kind = below(8);
    if (kind < 4) return { text: address, wellFormed: { ascii, name: undefined, isBare: true } };
    if (kind === 4) return { text: `<${address}>`, wellFormed: { ascii, name: undefined, isBare: false } };
    const name = oneOf(kind === 5 ? names : [...names, ...quotedNames]);
    const shown = kind === 5 ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
    return { text: `${shown} <${address}>`, wellFormed: { ascii, name, isBare: false } };
  };

  const mutated = (): string => {
    let { text } = wellFormed();
    for (let edits = 1 + below(3); edits > 0; edits--) {
      const at = below(text.length + 1);
      const until = Math.min(text.length, at + below(3));
      text = text.slice(0, at) + (random() < 0.8 ? oneOf(fragments) : "") + text.slice(random() < 0.5 ? at : until);
    }
    return text;
  };

  const attack = (): string => {
    const text = oneOf(attacks);
    return oneOf([text, text, `A <${text}>`, `"A" <${text}>`, text + oneOf(fragments), oneOf(fragments) + text]);
  };

  return () => {
    const kind = random();
    if (kind < 0.35) return wellFormed();
    if (kind < 0.75) return { text: mutated(), wellFormed: undefined };
    if (kind < 0.85) return { text: attack(), wellFormed: undefined };
    return { text: some(12, () => oneOf(randomFragments)), wellFormed: undefined };
  };
}

function fullWidth(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}

/** Skips letters whose upper case does not convert back to them. */
function upperCase(word: string): string {
  return word.toUpperCase().toLowerCase() === word ? word.toUpperCase() : word;
}
