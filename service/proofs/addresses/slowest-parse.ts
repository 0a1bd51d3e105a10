import { parseAddress, parseMailbox } from "../../src/mail-address.ts";

const runs = 31;

/** The longest parse time over inputs that make parsers slow. Each time is a median, so that other load does not distort it. */
export function slowestParse(): { at64KbMs: number; atBoundMs: number } {
  // 1,000 characters is the longest input that is not refused for its length.
  return { at64KbMs: slowest(shapesOf(65_536)), atBoundMs: slowest([...shapesOf(1000), ...longDomains]) };
}

function slowest(texts: string[]): number {
  return Math.max(...texts.flatMap((text) => [medianMs(() => parseAddress(text)), medianMs(() => parseMailbox(text))]));
}

function medianMs(work: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.toSorted((one, other) => one - other)[Math.floor(runs / 2)] ?? Number.POSITIVE_INFINITY;
}

function shapesOf(length: number): string[] {
  const filled = (head: string, unit: string, tail: string) => {
    const room = length - head.length - tail.length;
    return `${head}${unit.repeat(Math.ceil(room / unit.length)).slice(0, room)}${tail}`;
  };
  return [
    filled("", "a", "@b.co"),
    filled("", "a.", "a@b.co"),
    filled("", ".", "@b.co"),
    filled("a@", "b.", "co"),
    filled("a@", "b", ".co"),
    filled("a@", "ü", ".co"),
    filled("a@", "ü.", "co"),
    filled("a@b", "\u0308", ".co"),
    filled("a@", "xn--bcher-kva.", "de"),
    filled("a@", "1.", "1"),
    filled("a@", "-", ".co"),
    filled("", "@", ""),
    filled('"', "\\", '" <a@b.co>'),
    filled('"', '\\"', '" <a@b.co>'),
    filled('"', "a", ""),
    filled('"a"', " ", "<a@b.co>"),
    filled("a", " ", "<a@b.co>"),
    filled("", "<", ">"),
    filled("", "<a@b.co>", ""),
    filled("a@b.co", " ", "x"),
    filled("", "\ud83d\ude00", " <a@b.co>"),
    `a@${distinctLetters(length - 5)}.co`,
  ];
}

/** Within the length limit of the IDNA conversion, where it takes longest. */
const longDomains = [`a@${distinctLetters(250)}.co`, `a@${distinctLetters(200).replaceAll(/.{50}/gu, "$&.")}co`];

function distinctLetters(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7) % 20_000))).join("");
}
