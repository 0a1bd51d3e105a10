import { useQuery } from "@tanstack/react-query";
import type { SendRecord } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { useSuppressions } from "../../api/use-suppressions.ts";
import { Notice } from "../../parts/notice.tsx";
import { keyOf, type RecipientOutcome } from "./outcome.ts";
import styles from "./send-screen.module.css";
import { summarise, type Words } from "./summary.ts";
import { maySuppress } from "./suppressed-by-send.ts";

/** The answer to "did they get it?", before any detail. */
export function Summary({ send, outcomes }: { send: SendRecord; outcomes: RecipientOutcome[] }) {
  const suppressionOf = useSuppressions(send.mode, maySuppress(outcomes));
  const isSuppressedNow = (address: string) => {
    const entry = suppressionOf(keyOf(address));
    return entry === undefined ? undefined : entry !== null;
  };
  const words = summarise({ outcomes, failure: send, isSuppressedNow });
  const isDelivered = outcomes.some(({ state }) => state === "delivered");
  return (
    <div>
      <p className={styles.summary}>
        {words.map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words have no identity but their position
          <Word key={index} word={word} />
        ))}
      </p>
      {isDelivered && (
        <p className={styles.uncertain}>
          Delivered means that the receiving server accepted the mail. Whether it is in the inbox is not known.
        </p>
      )}
      <Hold send={send} outcomes={outcomes} />
    </div>
  );
}

function Word({ word }: { word: Words[number] }) {
  return typeof word === "string" ? word : <b>{word.address}</b>;
}

/** A queued send may wait because the mail of the account is on hold. */
function Hold({ send, outcomes }: { send: SendRecord; outcomes: RecipientOutcome[] }) {
  const isQueued = send.mode === "live" && outcomes.some(({ state }) => state === "queued");
  const { data } = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => call("GET /api/v1/account", { signal }),
    enabled: isQueued,
    refetchInterval: 10_000,
  });
  if (!isQueued || data?.held !== true) return null;
  return (
    <div className={styles.hold}>
      <Notice kind="warn" title="The mail of this account is on hold.">
        {data.held_reason ?? "It waits until the operator releases it."}
      </Notice>
    </div>
  );
}
