import { styleText } from "node:util";

/** A pipe has neither property, unlike Node's types say. */
interface Output {
  isTTY?: boolean;
  hasColors?(): boolean;
}

/** Colour only on a terminal, and never with NO_COLOR, which `hasColors` knows. */
export function canColour(stream: Output): boolean {
  return stream.isTTY === true && stream.hasColors?.() === true;
}

export function bold(text: string): string {
  return paint("bold", text, process.stdout);
}

const colours = { "✓": "green", "✗": "red", "!": "yellow" } as const;

/** Colours the marks at the beginning of lines. The text stays the same. */
export function colourMarks(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return text.replaceAll(/^( *)([✓✗!])(?= )/gmu, (_, indent: string, mark: keyof typeof colours) => {
    return `${indent}${paint(colours[mark], mark, stream)}`;
  });
}

function paint(format: "bold" | "green" | "red" | "yellow", text: string, stream: NodeJS.WriteStream): string {
  return canColour(stream) ? styleText(format, text, { validateStream: false }) : text;
}
