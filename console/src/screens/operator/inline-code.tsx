import { Fragment } from "react";

/** Text with `code` between back quotes, as the command line prints it. */
export function InlineCode({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
      <code key={index}>{part}</code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
