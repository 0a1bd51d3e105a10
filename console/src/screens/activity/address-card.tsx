import { Button } from "@mantine/core";
import { IconCircleCheck, IconClipboardText } from "@tabler/icons-react";
import { useState } from "react";
import type { Event } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { type Mode, stringifySearch } from "../../frame/search-state.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDateTime } from "../../parts/format-time.ts";
import { LiftSuppressionDialog } from "../../parts/lift-suppression-dialog.tsx";
import { Loading } from "../../parts/loading.tsx";
import { StatusIcon } from "../../parts/status-word.tsx";
import { withoutType } from "../send/outcome.ts";
import styles from "./address-card.module.css";
import { type AddressFacts, answerAbout, describeAddress } from "./address-facts.ts";
import { useAddress, useSubject } from "./use-address.ts";

/** Answers "why did this address get nothing?" before the table does. */
export function AddressCard({ address, mode }: { address: string; mode: Mode }) {
  const { data, error, refetch } = useAddress(address, mode);
  return (
    <section className={styles.card} aria-label={`About ${address}`}>
      {data !== undefined ? (
        <Facts facts={data} mode={mode} />
      ) : error === null ? (
        <Loading label="Loading what is known about the address" lines={4} height={124} />
      ) : (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function Facts({ facts, mode }: { facts: AddressFacts; mode: Mode }) {
  const may = useMay();
  const [isLifting, setLifting] = useState(false);
  const { address, suppression, lastDelivery, lastBounce } = facts;
  const { state, text } = describeAddress(facts);
  return (
    <>
      <div className={styles.head}>
        <div className={styles.answer}>
          <h2 data-copy-area="">
            <span className="cut" title={address}>
              {address}
            </span>
            <CopyButton value={address} label="address" always />
          </h2>
          <p>
            {suppression === null ? (
              <span className={styles.free}>
                <IconCircleCheck size={16} stroke={1.75} aria-hidden="true" />
                {state}
              </span>
            ) : (
              <span className={styles.suppressed}>
                <StatusIcon status="suppressed" size={16} />
                {state}
              </span>
            )}{" "}
            {text}
          </p>
        </div>
        <div className={styles.actions}>
          <CopyButton value={answerAbout(facts)} label="answer" icon={IconClipboardText}>
            Copy answer
          </CopyButton>
          {suppression !== null && may.write && <Button onClick={() => setLifting(true)}>Lift suppression</Button>}
        </div>
      </div>
      <div className={styles.facts}>
        <Last label="Last delivered" event={lastDelivery} status="delivered" mode={mode} />
        <Last label="Last bounce" event={lastBounce} status="bounced" mode={mode} />
        {lastBounce?.diagnostic !== undefined && (
          <div className={styles.said}>
            <span className={styles.label}>Server said</span>
            <span className="mono">{withoutType(lastBounce.diagnostic)}</span>
          </div>
        )}
      </div>
      <LiftSuppressionDialog
        suppression={isLifting && suppression !== null ? suppression : undefined}
        onClose={() => setLifting(false)}
      />
    </>
  );
}

interface LastProps {
  label: string;
  event: Event | undefined;
  status: "delivered" | "bounced";
  mode: Mode;
}

function Last({ label, event, status, mode }: LastProps) {
  const subject = useSubject(event?.email_id);
  return (
    <div>
      <span className={styles.label}>{label}</span>
      {event === undefined ? (
        <span className="quiet">{status === "delivered" ? "Never, as far as is known" : "None"}</span>
      ) : (
        <>
          <span className={styles.when} data-status={status}>
            <StatusIcon status={status} />
            {formatDateTime(Date.parse(event.event_timestamp))}
          </span>
          <AppLink
            className={`${styles.subject} cut`}
            href={`/sends/${event.email_id}${stringifySearch({ mode: mode === "test" ? "test" : undefined })}`}
          >
            {subject ?? "Open this send"}
          </AppLink>
        </>
      )}
    </div>
  );
}
