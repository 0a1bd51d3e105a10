import type { LoggedRequest } from "../../api/api-types.ts";
import { useMe } from "../../api/use-me.ts";
import { CopyText } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Time } from "../../parts/time.tsx";
import { errorWords } from "./request-filters.ts";
import styles from "./requests.module.css";

/** What the log knows about one request: why it was refused, and who made it. */
export function RequestDetail({ request }: { request: LoggedRequest }) {
  const { error_code: code } = request;
  return (
    <div className={styles.detail}>
      {code !== null && (
        <div className={styles.reason}>
          <b>{errorWords[code]}</b>
          <a href={`/errors/${code}`} target="_blank" rel="noreferrer">
            What <span className="mono">{code}</span> means and what to do
          </a>
        </div>
      )}
      <Problems request={request} />
      <Facts
        labelWidth={84}
        facts={[
          { label: "Request id", value: <CopyText value={request.request_id} label="request id" mono always /> },
          { label: "Made by", value: <Maker request={request} /> },
          { label: "From", value: request.address ?? "an unknown address" },
          { label: "Answered", value: <Time at={request.at} absolute /> },
        ]}
      />
    </div>
  );
}

function Problems({ request: { details } }: { request: LoggedRequest }) {
  if (details.length === 0) return null;
  return (
    <ul className={styles.problems}>
      {details.map(({ field, code, message }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field can have two equal problems, and the list never changes
        <li key={index}>
          <span className="mono">{field}</span>{" "}
          {message ?? `was refused (${code}). The text is not kept, because it repeats the value.`}
        </li>
      ))}
    </ul>
  );
}

function Maker({ request: { api_key, user_id } }: { request: LoggedRequest }) {
  const me = useMe();
  if (api_key === null)
    return user_id === me.user_id ? "You, in the console or with a log-in" : "A member with a log-in";
  return (
    <>
      {api_key.name ?? "A deleted key"} <span className="mono quiet">{api_key.key_prefix}</span>
    </>
  );
}
