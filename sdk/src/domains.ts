import type {
  Domain,
  DomainDns,
  ListDomainsAnswer,
  RegisterDomainBody,
  RegisteredDomain,
  RemoveDomainAnswer,
  SetMailFromBody,
} from "./api-types.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class Domains {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** Registers a domain and returns the DNS records to publish. Retries on 429 only. */
  register(domain: RegisterDomainBody, options?: CallOptions): Call<RegisteredDomain> {
    return this.#request("POST /api/v1/domains", { body: domain }, { options, isSafeToRetry: false });
  }

  list(options?: CallOptions): Call<ListDomainsAnswer> {
    return this.#request("GET /api/v1/domains", {}, { options });
  }

  /** Returns the domain with its required DNS records and the records found in DNS. */
  get(domainId: number, options?: CallOptions): Call<Domain> {
    return this.#request("GET /api/v1/domains/{id}", { path: { id: domainId } }, { options });
  }

  /** Requests an immediate check of the DNS records. */
  verify(domainId: number, options?: CallOptions): Call<Domain> {
    return this.#request("POST /api/v1/domains/{id}/verify", { path: { id: domainId } }, { options });
  }

  /** Asks DNS now for each record of the domain: a name server of its zone, and the resolver of the installation. */
  dns(domainId: number, options?: CallOptions): Call<DomainDns> {
    return this.#request("GET /api/v1/domains/{id}/dns", { path: { id: domainId } }, { options });
  }

  /** Sets the custom MAIL FROM domain, or removes it with `{ subdomain: null }`. Safe to repeat. */
  setMailFrom(domainId: number, mailFrom: SetMailFromBody, options?: CallOptions): Call<Domain> {
    return this.#request(
      "POST /api/v1/domains/{id}/mail-from",
      { path: { id: domainId }, body: mailFrom },
      { options },
    );
  }

  remove(domainId: number, options?: CallOptions): Call<RemoveDomainAnswer> {
    return this.#request("DELETE /api/v1/domains/{id}", { path: { id: domainId } }, { options });
  }
}
