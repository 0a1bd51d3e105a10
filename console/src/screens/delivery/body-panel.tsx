import { useState } from "react";
import { formatBytes } from "../../parts/format-number.ts";
import { Panel } from "../../parts/panel.tsx";
import { Segments } from "../../parts/segments.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import styles from "./delivery.module.css";

type View = "readable" | "sent";

/** The body is the same in every attempt. Both views are text only, so nothing in it can act. */
export function BodyPanel({ body }: { body: string | null }) {
  const [view, setView] = useState<View>("readable");
  const size = body === null ? undefined : formatBytes(new TextEncoder().encode(body).length);
  const aside = (
    <Segments
      label="View of the body"
      value={view}
      onChange={setView}
      options={[
        { value: "readable", label: "Readable" },
        { value: "sent", label: "As sent" },
      ]}
    />
  );
  return (
    <Panel heading="Body" count={size} aside={body === null ? undefined : aside}>
      {body === null ? (
        <p className={styles.note}>The body is no longer stored. Postern keeps it for 30 days.</p>
      ) : (
        <Snippet label="body" code={view === "sent" ? body : indented(body)} />
      )}
    </Panel>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
