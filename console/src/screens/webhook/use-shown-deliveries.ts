import { useState } from "react";
import type { ListWebhookDeliveriesQuery, WebhookDelivery } from "../../api/api-types.ts";
import { compareDeliveries } from "./compare-deliveries.ts";
import { useDeliveries } from "./webhook-queries.ts";

interface Wanted {
  filterKey: unknown;
  toQuery: () => ListWebhookDeliveriesQuery;
  before: string | undefined;
}

/** The rows that the page showed first stay where they are; new ones wait until the person asks for them. */
export function useShownDeliveries(webhookId: string, wanted: Wanted) {
  const page = useDeliveries(webhookId, wanted);
  const key = JSON.stringify([webhookId, wanted.filterKey, wanted.before]);
  const [shown, setShown] = useState<{ key: string; rows: WebhookDelivery[] }>();
  const found = page.isPlaceholderData ? undefined : page.data?.deliveries;
  if (found !== undefined && (shown?.key !== key || shown.rows.length === 0) && shown?.rows !== found)
    setShown({ key, rows: found });
  const compared = compareDeliveries(shown?.key === key ? shown.rows : (page.data?.deliveries ?? []), found);
  return {
    rows: page.data === undefined ? undefined : compared.rows,
    newCount: compared.newCount,
    isAtLeast: compared.isAtLeast,
    nextBefore: page.data?.nextBefore,
    isOld: page.isPlaceholderData,
    // A failed poll keeps the rows; only a page that was never read is an error.
    error: page.data === undefined ? page.error : null,
    retry: () => void page.refetch(),
    showNew: () => {
      if (found !== undefined) setShown({ key, rows: found });
    },
  };
}
