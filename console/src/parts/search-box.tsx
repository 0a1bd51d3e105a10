import { IconSearch, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { KeyCap } from "./key-cap.tsx";
import styles from "./search-box.module.css";
import { useHotkey } from "./use-hotkey.ts";

export type FilterToken = { key: string; name: string; value: string };

export type SearchBoxProps = {
  placeholder: string;
  /** Filters in force, each shown as "recipient jane@… ×". */
  tokens?: FilterToken[];
  onRemove?: (token: FilterToken) => void;
  /** Enter, with the text trimmed. The field is empty afterwards when there are tokens to hold the text. */
  onSubmit: (text: string) => void;
  /** Every change, for lists that filter while typing. */
  onType?: (text: string) => void;
  initialText?: string;
  /** A remark at the right end. */
  aside?: ReactNode;
  /** Focuses the field; "/" unless given, false for none. */
  hotkey?: string | false;
};

/** A search field that holds filter tokens. Backspace in the empty field removes the last one. */
export function SearchBox(props: SearchBoxProps) {
  const { placeholder, tokens = [], onRemove, onSubmit, onType, initialText = "", aside, hotkey = "/" } = props;
  const [text, setText] = useState(initialText);
  const field = useRef<HTMLInputElement>(null);
  useHotkey(
    hotkey === false ? "/" : hotkey,
    (event) => {
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    },
    hotkey !== false,
  );
  function change(value: string) {
    setText(value);
    onType?.(value);
  }
  function handleKey(event: KeyboardEvent<HTMLInputElement>) {
    const last = tokens.at(-1);
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onSubmit(text.trim());
      if (onRemove !== undefined) change("");
    } else if (event.key === "Backspace" && text === "" && last !== undefined) {
      onRemove?.(last);
    } else if (event.key === "Escape") {
      if (text === "") event.currentTarget.blur();
      else change("");
    }
  }
  return (
    <search className={styles.box}>
      <IconSearch className={styles.icon} size={16} stroke={1.75} aria-hidden="true" />
      {tokens.length > 0 && (
        <ul className={styles.tokens} aria-label="Filters">
          {tokens.map((token) => (
            <Token
              key={token.key}
              token={token}
              onRemove={() => {
                onRemove?.(token);
                field.current?.focus();
              }}
            />
          ))}
        </ul>
      )}
      <input
        ref={field}
        className={styles.field}
        type="text"
        value={text}
        placeholder={tokens.length > 0 ? "" : placeholder}
        aria-label={placeholder}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={handleKey}
      />
      {aside}
      {hotkey !== false && (
        <span className={styles.hint}>
          <KeyCap>{hotkey}</KeyCap>
        </span>
      )}
    </search>
  );
}

function Token({ token, onRemove }: { token: FilterToken; onRemove: () => void }) {
  return (
    <li className={styles.token}>
      <span className={styles.name}>{token.name}</span>
      <b className="cut" title={token.value}>
        {token.value}
      </b>
      <button type="button" aria-label={`Remove the filter ${token.name} ${token.value}`} onClick={onRemove}>
        <IconX size={13} stroke={1.75} aria-hidden="true" />
      </button>
    </li>
  );
}
