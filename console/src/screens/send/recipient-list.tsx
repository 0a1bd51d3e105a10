import { Button } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconClipboardText } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { SendRecord, Suppression } from "../../api/api-types.ts";
import { useMay } from "../../api/use-me.ts";
import { useSuppressions } from "../../api/use-suppressions.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { formatDate, formatDuration } from "../../parts/format-time.ts";
import { LiftSuppressionDialog } from "../../parts/lift-suppression-dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { Tag } from "../../parts/tag.tsx";
import { answerText } from "./answer-text.ts";
import { explainOutcome } from "./explain-outcome.ts";
import { isProblem, keyOf, problemsFirst, type RecipientOutcome } from "./outcome.ts";
import styles from "./recipient-list.module.css";
import { maySuppress } from "./suppressed-by-send.ts";

/** Problems come first and open; a delivered recipient takes one line. */
export function RecipientList({ send, outcomes }: { send: SendRecord; outcomes: RecipientOutcome[] }) {
  const suppressionOf = useSuppressions(send.mode, maySuppress(outcomes));
  const [lifted, setLifted] = useState<Suppression>();
  // A send that nobody got is a problem, although each suppression is not.
  const isForNobody = outcomes.every(({ state }) => state === "suppressed");
  return (
    <Panel heading="Recipients" count={outcomes.length} aside="time until the server answered" flush>
      <ul className={styles.list}>
        {problemsFirst(outcomes).map((outcome) => (
          <Recipient
            key={outcome.address}
            send={send}
            outcome={outcome}
            startsOpen={isForNobody || isProblem(outcome)}
            suppression={suppressionOf(keyOf(outcome.address))}
            onLift={setLifted}
          />
        ))}
      </ul>
      <LiftSuppressionDialog suppression={lifted} onClose={() => setLifted(undefined)} />
    </Panel>
  );
}

interface RecipientProps {
  send: SendRecord;
  outcome: RecipientOutcome;
  suppression: Suppression | null | undefined;
  onLift: (suppression: Suppression) => void;
}

function Recipient({ send, outcome, suppression, onLift, startsOpen }: RecipientProps & { startsOpen: boolean }) {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? startsOpen;
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li className={styles.recipient}>
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        aria-controls={id}
        data-open={isOpen || undefined}
        onClick={() => setChosen(!isOpen)}
      >
        <span className={styles.state}>
          <StatusWord status={outcome.state} />
        </span>
        <span className={styles.address}>
          <b className="cut" title={outcome.address}>
            {outcome.address}
          </b>
          {outcome.isForwarded && <Tag>forwarded</Tag>}
        </span>
        <span className={`${styles.short} cut`}>{isOpen ? "" : <Short outcome={outcome} />}</span>
        <span className={styles.time}>{timeOf(outcome)}</span>
        <Chevron size={16} stroke={1.75} aria-hidden="true" className={styles.chevron} />
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details send={send} outcome={outcome} suppression={suppression} onLift={onLift} />}
      </div>
    </li>
  );
}

function Short({ outcome: { reply, suppression } }: { outcome: RecipientOutcome }) {
  if (reply !== undefined) return <span className="mono">{reply}</span>;
  if (suppression?.since === undefined) return null;
  const since = `since ${formatDate(Date.parse(suppression.since))}`;
  if (suppression.reason === "manual") return `${since}, added by hand`;
  return `${since}, after ${suppression.reason === "complaint" ? "a complaint" : "a bounce"}`;
}

/** The API says it for the time of the bounce. */
function withoutSuppression(nextStep: string): string {
  return nextStep.replace(/^The address is now suppressed\. /, "");
}

function timeOf({ durationMs, state }: RecipientOutcome): string {
  if (durationMs !== undefined) return formatDuration(durationMs);
  return state === "suppressed" || state === "failed" ? "not sent" : "";
}

function Details({ send, outcome, suppression, onLift }: RecipientProps) {
  const may = useMay();
  const { meaning, nextStep } = explainOutcome(outcome, send);
  const isAtServer = outcome.at !== undefined && outcome.state !== "suppressed";
  const isLiftable = may.write && suppression !== null && suppression !== undefined;
  return (
    <div className={styles.details}>
      <dl>
        {outcome.reply !== undefined && (
          <div>
            <dt>Server said</dt>
            <dd className={styles.reply}>
              <span className="mono">{outcome.reply}</span>
              {outcome.server !== undefined && <span className="quiet"> by {outcome.server}</span>}
            </dd>
          </div>
        )}
        <div>
          <dt>Meaning</dt>
          <dd>{meaning}</dd>
        </div>
        {suppression === null && (
          <div>
            <dt>Suppression</dt>
            <dd>The address is not suppressed any more. Later mail goes to it.</dd>
          </div>
        )}
        {nextStep !== undefined && (
          <div>
            <dt>Next step</dt>
            <dd>{suppression === null ? withoutSuppression(nextStep) : nextStep}</dd>
          </div>
        )}
      </dl>
      {(isAtServer || isLiftable) && (
        <div className={styles.actions}>
          {isAtServer && (
            <CopyButton
              value={answerText(send, outcome)}
              label={`answer for ${outcome.address}`}
              icon={IconClipboardText}
            >
              Copy answer
            </CopyButton>
          )}
          {isLiftable && <Button onClick={() => onLift(suppression)}>Lift suppression</Button>}
        </div>
      )}
    </div>
  );
}
