/** The byte sequences of a text: plain, in other encodings, and inside base64 data. */
function encodingsOf(text: string): Buffer[] {
  const plain = Buffer.from(text);
  const wide = Buffer.from(text, "utf16le");
  const inBase64 = [0, 1, 2].flatMap((shift) => [base64At(plain, shift), base64At(wide, shift)]);
  const spellings = inBase64.flatMap((found) => [found, found.replaceAll("+", "-").replaceAll("/", "_")]);
  return [
    plain,
    wide,
    Buffer.from(wide).swap16(),
    Buffer.from(plain.toString("hex")),
    Buffer.from(text.toLowerCase()),
    ...spellings.map((spelling) => Buffer.from(spelling)),
  ];
}

/** Base64 encodes three bytes at a time, so only the part that does not depend on neighbouring bytes is certain to occur. */
function base64At(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
  const whole = Math.floor((shift + bytes.length) / 3) * 4;
  return encoded.slice(shift === 0 ? 0 : 4, whole);
}

/** The texts that occur in the bytes, in any encoding. */
export function findTexts(bytes: Buffer, texts: Iterable<string>): string[] {
  return [...texts].filter((text) => encodingsOf(text).some((encoding) => bytes.includes(encoding)));
}
