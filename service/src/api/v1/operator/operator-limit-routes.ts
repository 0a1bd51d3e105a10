import { setLimits } from "../../../accounts/limit-store.ts";
import { setQuotas } from "../../../accounts/quota-store.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { accountChanges } from "./change-account.ts";
import { limitsBody, quotasBody, toLimits, toQuotas } from "./operator-limit-wire.ts";

/** What `postern admin limits` does as well. */
export function operatorLimitRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, schema, changeAccount } = accountChanges(deps);

  app.patch(
    "/api/v1/operator/accounts/:id/limits",
    {
      onRequest,
      schema: {
        ...schema,
        operationId: "changeLimits",
        summary: "Change the limits of an account",
        description: "Limits that are not given stay as they are.",
        body: limitsBody,
      },
    },
    (request) => changeAccount(request, "limits", (tx, id, actor) => setLimits(tx, id, toLimits(request.body), actor)),
  );

  app.patch(
    "/api/v1/operator/accounts/:id/quotas",
    {
      onRequest,
      schema: {
        ...schema,
        operationId: "changeQuotas",
        summary: "Change the quotas of an account for live or test mail",
        description:
          "Quotas that are not given stay as they are. API processes apply the change within 5 seconds. The quota of queued recipients " +
          "is set by `postern admin limits`, which also counts the queue.",
        body: quotasBody,
      },
    },
    (request) =>
      changeAccount(request, "quotas", (tx, accountId, actor) =>
        setQuotas(tx, { accountId, mode: request.body.mode }, toQuotas(request.body), actor),
      ),
  );
}
