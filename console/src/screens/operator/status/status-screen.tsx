import { AccountsPanel } from "../accounts/accounts-panel.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { sesQuery, statusQuery, useOperatorQuery } from "../operator-queries.ts";
import { ProblemList } from "./problem-list.tsx";
import { StatusFigures } from "./status-figures.tsx";

/** The first page of an operator: what is wrong, what the service does, and who sends. */
export function StatusScreen() {
  const status = useOperatorQuery(statusQuery);
  const ses = useOperatorQuery(sesQuery);
  return (
    <OperatorPage title="Status" note="as postern status prints it, every 5 s" query={status}>
      <ProblemList problems={status.data?.problems} />
      <StatusFigures status={status.data} ses={ses.data} />
      <AccountsPanel limit={20} />
    </OperatorPage>
  );
}
