import { findDomain } from "../../../domains/domain-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { domainDnsResponse, toDomainDns } from "./domain-dns-wire.ts";
import { domainIdParams, noSuchDomain, parseDomainId } from "./domain-id.ts";

export function domainDnsRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/domains/:id/dns",
    {
      onRequest,
      schema: {
        operationId: "getDomainDns",
        summary: "Look at the domain's DNS records now",
        description:
          "Asks a name server of the zone and the resolver of this installation for each record that concerns mail of the domain, in up to " +
          "5 seconds. It changes nothing: the scheduled checks decide the verification status. 6 looks a minute for a domain and 30 for an " +
          "account.",
        tags: ["Domains"],
        security: needsJwtOrKey,
        params: domainIdParams,
        response: { 200: domainDnsResponse, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const id = parseDomainId(request.params.id);
      const domain = id === undefined ? undefined : await findDomain(callerOf(request).db, id);
      if (domain === undefined) throw noSuchDomain();
      return toDomainDns(domain, await deps.liveDns.look(domain));
    },
  );
}
