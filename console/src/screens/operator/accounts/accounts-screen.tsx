import { OperatorPage } from "../operator-page.tsx";
import { statusQuery, useOperatorQuery } from "../operator-queries.ts";
import { AccountsPanel } from "./accounts-panel.tsx";

/** All accounts: by bounces, complaints or volume the first 100, or page by page in the order of creation. */
export function AccountsScreen() {
  const status = useOperatorQuery(statusQuery);
  return (
    <OperatorPage title="Accounts" note="of the whole installation" query={status}>
      <AccountsPanel limit={100} />
    </OperatorPage>
  );
}
