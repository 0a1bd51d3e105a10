import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { WebhookDeliveryDetails } from "../../api/api-types.ts";
import { formatCount } from "../../parts/format-number.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { Panel } from "../../parts/panel.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { StatusIcon } from "../../parts/status-word.tsx";
import { Time } from "../../parts/time.tsx";
import styles from "./delivery.module.css";

type Attempt = WebhookDeliveryDetails["attempts"][number];

/** Newest first, and open: it is the one that says what is wrong now. */
export function AttemptList({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const { attempts } = delivery;
  const numbered = attempts.map((attempt, index) => ({ attempt, number: index + 1 })).toReversed();
  return (
    <Panel heading="Attempts" count={attempts.length} flush>
      {numbered.length === 0 ? (
        <p className={styles.none}>Postern has not made a request yet.</p>
      ) : (
        <ol className={styles.attempts}>
          {numbered.map(({ attempt, number }) => (
            <AttemptRow key={number} attempt={attempt} number={number} startsOpen={number === attempts.length} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

type AttemptRowProps = { attempt: Attempt; number: number; startsOpen: boolean };

function AttemptRow({ attempt, number, startsOpen }: AttemptRowProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const { status, failure, duration_ms: duration, attempted_at } = attempt;
  return (
    <li className={styles.attempt}>
      <div className={styles.line}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron size={15} stroke={1.75} aria-hidden="true" />
          <span className={styles.number}>{number}</span>
          <StatusIcon status={failure === null ? "delivered" : "failed"} />
          <span className={styles.result} data-failed={failure === null ? undefined : ""}>
            {failure ?? `The endpoint answered ${status}.`}
          </span>
        </button>
        <span className={styles.took}>{duration === null ? "" : formatDuration(duration)}</span>
        <span className={styles.at}>
          <Time at={attempted_at} />
        </span>
      </div>
      {isOpen && (
        <div id={id} className={styles.details}>
          <RequestOf attempt={attempt} />
          <AnswerOf attempt={attempt} />
        </div>
      )}
    </li>
  );
}

function RequestOf({ attempt: { request } }: { attempt: Attempt }) {
  if (request === null) return <p className={styles.note}>No request is recorded for this attempt.</p>;
  const { pathname, search } = new URL(request.url);
  const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div>
      <h3 className={styles.heading}>Request, as sent</h3>
      <Snippet label="request" code={[`POST ${pathname}${search} HTTP/1.1`, ...lines].join("\n")} />
    </div>
  );
}

function AnswerOf({ attempt: { status, answer } }: { attempt: Attempt }) {
  if (status === null) return <p className={styles.note}>There was no answer.</p>;
  return (
    <div>
      <h3 className={styles.heading}>
        Answer {status}
        {answer === null || answer === "" ? "" : `, ${formatCount(answer.length, "character")}`}
      </h3>
      {answer === null || answer === "" ? (
        <p className={styles.note}>{answer === "" ? "It had no body." : "Its body is not kept."}</p>
      ) : (
        <Snippet label="answer" code={answer} />
      )}
    </div>
  );
}
