/** A Markdown table. Cells are Markdown; a `|` inside a cell is escaped. */
export function markdownTable(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), `|${headings.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

export function code(text: string): string {
  return `\`${text}\``;
}
