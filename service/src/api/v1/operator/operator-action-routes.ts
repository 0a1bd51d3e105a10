import { holdAccount, releaseAccount } from "../../../accounts/account-store.ts";
import { releaseFromGuard, switchGuard } from "../../../guard/guard-store.ts";
import { HoldParking } from "../../../guard/hold-parking.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { accountChanges } from "./change-account.ts";
import { guardBody, reasonBody } from "./operator-action-wire.ts";

/** Claims park what is left of a long queue, each send when they meet it. */
const parkingMs = 2_000;

/** What `postern admin` does as well. Each action needs a reason. */
export function operatorActionRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, operatorOf, schema, changeAccount } = accountChanges(deps);

  app.post(
    "/api/v1/operator/accounts/:id/hold",
    {
      onRequest,
      schema: {
        ...schema,
        operationId: "holdAccount",
        summary: "Put the mail of an account on hold",
        description:
          "The API still accepts its mail, which waits in the queue until the release. `reason` is the note that the status shows; a " +
          "second hold replaces it.",
        body: reasonBody,
      },
    },
    async (request) => {
      const { reason } = request.body;
      const account = await changeAccount(request, "hold", (tx, id, actor) => holdAccount(tx, id, reason, actor));
      const parking = new HoldParking(operatorOf(request).db);
      parking.add(account.tenant_id);
      await parking.park(parkingMs);
      return account;
    },
  );

  app.post(
    "/api/v1/operator/accounts/:id/release",
    {
      onRequest,
      schema: {
        ...schema,
        operationId: "releaseAccount",
        summary: "End the hold of an operator on an account",
        description: "A hold of the guard stays. Without a hold nothing changes.",
        body: reasonBody,
      },
    },
    (request) => changeAccount(request, "release", releaseAccount),
  );

  app.post(
    "/api/v1/operator/accounts/:id/guard",
    {
      onRequest,
      schema: { ...schema, operationId: "switchGuard", summary: "Switch the guard of an account", body: guardBody },
    },
    (request) => changeAccount(request, "guard", (tx, id, actor) => switchGuard(tx, id, !request.body.on, actor)),
  );

  app.post(
    "/api/v1/operator/accounts/:id/guard/release",
    {
      onRequest,
      schema: {
        ...schema,
        operationId: "releaseFromGuard",
        summary: "End the hold of the guard on an account",
        description: "The guard counts from zero. A hold of an operator stays.",
        body: reasonBody,
      },
    },
    (request) => changeAccount(request, "guard-release", releaseFromGuard),
  );
}
