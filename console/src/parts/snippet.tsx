import { type ReactNode, useId, useState } from "react";
import { CopyButton } from "./copy.tsx";
import styles from "./snippet.module.css";

/** One line or more of code with a copy button. Long lines scroll. */
export function Snippet({ code, label = "command" }: { code: string; label?: string }) {
  return (
    <div className={styles.snippet} data-copy-area="">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton value={code} label={label} always />
    </div>
  );
}

export type SnippetTab = { name: string; code: string };

/** The same thing for .env, curl and the SDK. */
export function SnippetTabs({ label, tabs }: { label: string; tabs: SnippetTab[] }) {
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const tab = tabs[chosen] ?? tabs[0];
  return (
    <div className={styles.tabbed}>
      <div className={styles.tabs} role="tablist" aria-label={label}>
        {tabs.map((each, index) => (
          <button
            key={each.name}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step === undefined) return;
              const next = (index + step + tabs.length) % tabs.length;
              setChosen(next);
              document.getElementById(`${id}-${next}`)?.focus();
            }}
          >
            {each.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {tab && <Snippet code={tab.code} label={tab.name} />}
      </div>
    </div>
  );
}

/** A value the API shows once, such as a new key. */
export function Secret({ value, label, children }: { value: string; label: string; children?: ReactNode }) {
  return (
    <div className={styles.secret}>
      <div className={styles.secretLine}>
        <code>{value}</code>
        <CopyButton value={value} label={label}>
          Copy
        </CopyButton>
      </div>
      <p className={styles.once}>{children ?? "Postern shows this value once. Copy it now."}</p>
    </div>
  );
}
