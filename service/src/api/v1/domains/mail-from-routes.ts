import { z } from "zod";
import { findDomain } from "../../../domains/domain-store.ts";
import { parseMailFromSubdomain, setMailFrom } from "../../../domains/mail-from/set-mail-from.ts";
import { AppError } from "../../../errors.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { domainIdParams, noSuchDomain, parseDomainId } from "./domain-id.ts";
import { domainResponse, toDomainResponse } from "./domain-wire.ts";
import { requireDomainDeps } from "./require-domain-deps.ts";

const mailFromBody = z
  .strictObject({
    subdomain: z
      .string()
      .min(1)
      .max(253)
      .nullable()
      .describe("The part before the domain; null removes the custom MAIL FROM domain")
      .meta({ example: "bounce" }),
  })
  .meta({ example: { subdomain: "bounce" } });

export function mailFromRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/domains/:id/mail-from",
    {
      onRequest,
      schema: {
        operationId: "setMailFrom",
        summary: "Set or remove the custom MAIL FROM domain",
        description:
          "The return path of the domain's mail becomes a subdomain of it, so that SPF is aligned with the domain as well. Publish the " +
          "records in `mail_from`. Until SES finds the MX record, mail goes out with the return path of SES. If the provider is busy, " +
          "Postern sets it later.",
        tags: ["Domains"],
        security: needsJwtOrKey,
        params: domainIdParams,
        body: mailFromBody,
        response: { 200: domainResponse, ...errorResponses(401, 404, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const { accountId, db } = callerOf(request);
      const id = parseDomainId(request.params.id);
      const domain = id === undefined ? undefined : await findDomain(db, id);
      if (id === undefined || domain === undefined) throw noSuchDomain();
      const wished = request.body.subdomain;
      const subdomain = wished === null ? null : parseMailFromSubdomain(wished, domain.domainName);
      const set = await setMailFrom(requireDomainDeps(deps), accountId, { id, subdomain }, db.actor);
      if (set === undefined) throw notVerified();
      if (set.applyError !== undefined) {
        deps.log.warn({ request_id: request.id, domain_id: id, err: set.applyError }, "domain.mail-from-postponed");
      }
      return toDomainResponse(set.domain);
    },
  );
}

function notVerified(): AppError {
  return new AppError(
    "CONFLICT",
    "The domain is not verified. Publish its DNS records first, then set the MAIL FROM domain.",
  );
}
