import type {
  Domain,
  ListDomainsAnswer,
  RegisterDomainBody,
  RegisteredDomain,
  RemoveDomainAnswer,
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

  remove(domainId: number, options?: CallOptions): Call<RemoveDomainAnswer> {
    return this.#request("DELETE /api/v1/domains/{id}", { path: { id: domainId } }, { options });
  }
}
