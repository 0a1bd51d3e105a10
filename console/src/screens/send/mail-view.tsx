import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/use-me.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { MailFrame } from "./mail-frame.tsx";
import styles from "./mail-view.module.css";

const tabs = ["HTML", "Text", "JSON"] as const;
type Tab = (typeof tabs)[number];
export type MailWidth = "phone" | "desktop";

/** The mail as it was accepted. Every look at it is in the audit. */
export function MailView({ id }: { id: string }) {
  const may = useMay();
  const [tab, setTab] = useState<Tab>("HTML");
  const [width, setWidth] = useState<MailWidth>("phone");
  if (!may.write)
    return (
      <NotShown title="Your role does not see the content of mail">
        Viewers see what happened to a mail, not what it says. Ask an owner of this account for the role developer.
      </NotShown>
    );
  return (
    <section className={styles.panel} aria-label="Mail">
      <header className={styles.header}>
        <TabList tab={tab} onChange={setTab} />
        {tab === "HTML" && <WidthSwitch width={width} onChange={setWidth} />}
      </header>
      <div role="tabpanel" aria-label={tab}>
        {tab === "HTML" ? <MailFrame id={id} width={width} /> : <Source key={tab} id={id} tab={tab} />}
      </div>
    </section>
  );
}

function TabList({ tab, onChange }: { tab: Tab; onChange: (tab: Tab) => void }) {
  return (
    <div role="tablist" aria-label="Form of the mail" className={styles.tabs}>
      {tabs.map((name, index) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === tab}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => onChange(name)}
          onKeyDown={(event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (step === undefined) return;
            const next = (index + step + tabs.length) % tabs.length;
            onChange(tabs[next] ?? "HTML");
            event.currentTarget.parentElement?.querySelectorAll("button")[next]?.focus();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function WidthSwitch({ width, onChange }: { width: MailWidth; onChange: (width: MailWidth) => void }) {
  const options = [
    { value: "desktop", label: "Desktop width", icon: IconDeviceDesktop },
    { value: "phone", label: "Phone width", icon: IconDeviceMobile },
  ] as const;
  return (
    <fieldset className={styles.widths}>
      <legend className="visually-hidden">Width</legend>
      {options.map(({ value, label, icon: Icon }) => (
        <label key={value} title={label}>
          <input
            type="radio"
            className="visually-hidden"
            name="mail-width"
            aria-label={label}
            checked={value === width}
            onChange={() => onChange(value)}
          />
          <Icon size={15} stroke={1.75} aria-hidden="true" />
        </label>
      ))}
    </fieldset>
  );
}

/** Loaded only when asked for: each reading is an entry of the audit. */
export function contentQuery(id: string) {
  return {
    queryKey: ["send-content", id],
    queryFn: ({ signal }: { signal: AbortSignal }) => call("GET /api/v1/send/{id}/content", { path: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  };
}

/** A browser lays out a few megabytes of text slowly, and nobody reads them here. */
const maxShown = 200_000;

function Source({ id, tab }: { id: string; tab: "Text" | "JSON" }) {
  const { data, error, refetch } = useQuery(contentQuery(id));
  if (error !== null) return <ContentError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading the mail" lines={8} height={320} />;
  const text = tab === "Text" ? data.text : JSON.stringify(data, null, 2);
  return (
    <>
      {text === null ? (
        <p className={styles.none}>This mail has no text part. Mail clients show its HTML.</p>
      ) : (
        <SourceText tab={tab} text={text} />
      )}
      <AttachmentList id={id} />
    </>
  );
}

function SourceText({ tab, text }: { tab: "Text" | "JSON"; text: string }) {
  return (
    <div className={styles.source}>
      <div className={styles.sourceBar}>
        <span>
          {text.length > maxShown ? "The first 200,000 characters. Copy has all of them." : `${tab} as accepted`}
        </span>
        <CopyButton value={text} label={tab === "Text" ? "text" : "JSON"} always />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard */}
      <pre className={tab === "JSON" ? "mono" : ""} tabIndex={0}>
        {text.slice(0, maxShown)}
      </pre>
    </div>
  );
}

/** Deleted content and CONTENT_VIEW=off are states, not faults. */
export function ContentError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof ApiError && error.code === "CONTENT_NOT_KEPT") {
    return (
      <NotShown inside title="The content is not kept">
        {error.message}
      </NotShown>
    );
  }
  if (error instanceof ApiError && error.status === 403) {
    return (
      <NotShown inside title="The content is not shown">
        {error.message}
      </NotShown>
    );
  }
  return <ErrorState error={error} onRetry={onRetry} />;
}

function NotShown({ title, children, inside = false }: { title: string; children: string; inside?: boolean }) {
  const text = (
    <div className={styles.notShown}>
      <b>{title}</b>
      <p>{children}</p>
    </div>
  );
  if (inside) return text;
  return (
    <section className={styles.panel} aria-label="Mail">
      {text}
    </section>
  );
}
