/** The bytes a text leaves where it was written: as it is, in another encoding, or as a part of something in base64. */
export function tracesOf(text: string): Buffer[] {
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

/** Base64 takes three bytes at a time; only what does not depend on the neighbours is certain to be there. */
function base64At(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
  const whole = Math.floor((shift + bytes.length) / 3) * 4;
  return encoded.slice(shift === 0 ? 0 : 4, whole);
}

/** Which of these texts left a trace in the bytes. */
export function tracedIn(bytes: Buffer, texts: Iterable<string>): string[] {
  return [...texts].filter((text) => tracesOf(text).some((trace) => bytes.includes(trace)));
}
