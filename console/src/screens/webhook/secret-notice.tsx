import { useEffect, useState } from "react";
import type { Webhook } from "../../api/api-types.ts";
import { formatAge, formatDateTime } from "../../parts/format-time.ts";
import { Notice } from "../../parts/notice.tsx";

/** Counts down how long earlier secrets still sign, after a rotation. */
export function SecretNotice({ secrets }: { secrets: Webhook["secrets"] }) {
  const ends = secrets.flatMap(({ expires_at }) => (expires_at === null ? [] : [Date.parse(expires_at)]));
  const now = useSeconds(ends.length > 0);
  const left = ends.filter((end) => end > now).toSorted((one, other) => one - other);
  const [first] = left;
  if (first === undefined) return null;
  const last = left.at(-1) ?? first;
  return (
    <Notice
      title={
        <>
          {left.length === 1 ? "The earlier secret ends" : `${left.length} earlier secrets end, the first`}{" "}
          <span className="tabular" role="timer">
            {formatAge(first, { now })}
          </span>
          .
        </>
      }
    >
      Until {formatDateTime(last)} every request is signed with the new secret and with the earlier one. Deploy the new
      one before that.
    </Notice>
  );
}

/** The time, each second while somebody waits for it. */
function useSeconds(isNeeded: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isNeeded) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}
