import type { SendRecord } from "../../api/api-types.ts";
import { CopyText } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import styles from "./send-screen.module.css";

export function SendFacts({ send }: { send: SendRecord }) {
  const { from_address, id, provider_message_id, error_code } = send;
  return (
    <div className={styles.facts}>
      <Facts
        facts={[
          { label: "From", value: <CopyText value={from_address} label="sender" /> },
          { label: "Send id", value: <CopyText value={id} label="send id" mono /> },
          {
            label: "SES id",
            value:
              provider_message_id === null ? (
                <span className="quiet">SES has not accepted it</span>
              ) : (
                <CopyText value={provider_message_id} label="SES id" mono />
              ),
          },
          error_code === null
            ? undefined
            : { label: "Error", value: <CopyText value={error_code} label="error code" mono /> },
        ]}
      />
    </div>
  );
}
