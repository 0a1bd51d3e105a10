import { useQueryClient } from "@tanstack/react-query";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { accountQuery, accountsKey, statusQuery } from "../operator-queries.ts";

/** Shows the account as the action returned it, and reads the lists again. */
export function useChangedAccount(): (account: OperatorAccount) => void {
  const queryClient = useQueryClient();
  return (account) => {
    queryClient.setQueryData(accountQuery(account.tenant_id).queryKey, account);
    void queryClient.invalidateQueries({ queryKey: accountsKey });
    void queryClient.invalidateQueries({ queryKey: statusQuery.queryKey });
  };
}
