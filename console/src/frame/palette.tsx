import { Modal } from "@mantine/core";
import { IconMail, IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useState } from "react";
import { jumpTargets } from "./jump-targets.ts";
import { profilePage } from "./pages.ts";
import classes from "./palette.module.css";
import type { SearchValues } from "./search-state.ts";
import { useListedGroups } from "./use-listed-groups.ts";

/** Ctrl K: jump to a page by name, to a send by its id or SES id, or to the mail of an address. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const pages = [...useListedGroups().flatMap((group) => group.pages), profilePage];
  const targets = jumpTargets(text, pages);
  const index = Math.min(chosen, targets.length - 1);

  useEffect(() => {
    if (!opened) return;
    setText("");
    setChosen(0);
  }, [opened]);

  function go(position: number) {
    const target = targets[position];
    if (target === undefined) return;
    onClose();
    void navigate({ to: target.path, search: (current: SearchValues) => ({ mode: current.mode, ...target.search }) });
  }

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((index + step + targets.length) % Math.max(1, targets.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(index);
    }
  }

  return (
    <Modal.Root opened={opened} onClose={onClose} size={560} yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Jump to">
        <div className={classes.field}>
          <IconSearch size={16} stroke={1.75} aria-hidden />
          <input
            data-autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls="jump-targets"
            aria-activedescendant={targets.length === 0 ? undefined : `jump-${index}`}
            aria-label="Page, address, send id or SES id"
            placeholder="Page, address, send id or SES id"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div id="jump-targets" role="listbox" aria-label="Where to jump" className={classes.targets}>
          {targets.map(({ key, label, note, icon: Icon = IconMail }, position) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys; options take the pointer
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field (aria-activedescendant)
            <div
              key={key}
              id={`jump-${position}`}
              role="option"
              aria-selected={position === index}
              className={classes.target}
              onPointerMove={() => setChosen(position)}
              onClick={() => go(position)}
            >
              <Icon size={16} stroke={1.75} aria-hidden />
              <span className={classes.label}>{label}</span>
              <span className={classes.note}>{note}</span>
            </div>
          ))}
          {targets.length === 0 ? (
            <p className={classes.nothing}>No page has this name. Type an address or an id.</p>
          ) : null}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
