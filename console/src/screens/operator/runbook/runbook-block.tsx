import { Snippet } from "../../../parts/snippet.tsx";
import { type Block, type Inline, parseInline } from "./parse-runbook.ts";
import styles from "./runbook.module.css";

/** Blocks and their parts never change their order, so their positions are their keys. */
export function RunbookBlock({ block, isChosen }: { block: Block; isChosen: boolean }) {
  switch (block.kind) {
    case "heading":
      return (
        <h2 id={block.id} data-chosen={isChosen || undefined}>
          {block.text}
        </h2>
      );
    case "paragraph":
      return (
        <p>
          <Line text={block.text} />
        </p>
      );
    case "code":
      return <Snippet code={commandsOf(block.text)} label="commands" />;
    case "list":
      return <List ordered={block.ordered} items={block.items} />;
    case "table":
      return <Table head={block.head} rows={block.rows} />;
  }
}

/** Without the prompts, so that a copy can be pasted. */
function commandsOf(text: string): string {
  return text.replaceAll(/^\$ /gm, "");
}

function List({ ordered, items }: { ordered: boolean; items: string[] }) {
  const Kind = ordered ? "ol" : "ul";
  return (
    <Kind>
      {items.map((item) => (
        <li key={item}>
          <Line text={item} />
        </li>
      ))}
    </Kind>
  );
}

function Table({ head, rows }: { head: string[]; rows: string[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard
    <section className={styles.table} aria-label={head.join(", ")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                <Line text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join()}>
              {row.map((cell) => (
                <td key={cell}>
                  <Line text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Line({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never change their order
  return parseInline(text).map((part, index) => <Part key={index} part={part} />);
}

function Part({ part }: { part: Inline }) {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "bold":
      return (
        <b>
          <Line text={part.text} />
        </b>
      );
    case "link":
      return part.href === undefined ? <Line text={part.text} /> : <a href={part.href}>{part.text}</a>;
  }
}
