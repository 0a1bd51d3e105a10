import type { ApiKey } from "../../api/api-types.ts";
import { keyUseText } from "./key-use-text.ts";
import styles from "./keys.module.css";

export function KeyUse({ apiKey, sends }: { apiKey: ApiKey; sends: number | undefined }) {
  return <p className={styles.usage}>{keyUseText(apiKey.last_used_at, sends, Date.now())}</p>;
}
