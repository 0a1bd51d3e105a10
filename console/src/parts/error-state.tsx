import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMay } from "../api/use-me.ts";
import { AppLink } from "./app-link.tsx";
import { CopyText } from "./copy.tsx";
import { errorFacts } from "./error-facts.ts";
import styles from "./state.module.css";

export type ErrorStateProps = { error: unknown; onRetry?: () => void };

/** What the API answered, with the request id that finds it in the logs. Fits a panel, a table or a dialog. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { message, code, requestId, details } = errorFacts(error);
  return (
    <div className={styles.error} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} aria-hidden="true" />
      <div>
        <b>{message}</b>
        {details.length > 0 && (
          <ul className={styles.problems}>
            {details.map((detail) => (
              <li key={`${detail.field} ${detail.message}`}>
                <span className="mono">{detail.field}</span> {detail.message}
              </li>
            ))}
          </ul>
        )}
        {(code !== undefined || requestId !== undefined) && (
          <div className={styles.facts}>
            {code !== undefined && <span className="mono">{code}</span>}
            {requestId !== undefined && (
              <span>
                request <CopyText value={requestId} label="request id" mono always />
                <RequestLink requestId={requestId} />
              </span>
            )}
          </div>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** The log has a refused request a few seconds after the answer. Developers and owners may read it. */
function RequestLink({ requestId }: { requestId: string }) {
  const may = useMay();
  return may.write ? (
    <AppLink href={`/requests?request_id=${encodeURIComponent(requestId)}`}>Find it in the request log</AppLink>
  ) : null;
}
