import type {
  Domain,
  ListDomainsAnswer,
  RegisterDomainBody,
  RegisteredDomain,
  RemoveDomainAnswer,
} from "./api-types.ts";
import type { Ask } from "./ask.ts";
import type { Call } from "./result.ts";
import type { CallOptions } from "./settings.ts";

export class Domains {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Registers a domain and answers with the DNS records to publish. Repeated on 429 only. */
  register(domain: RegisterDomainBody, options?: CallOptions): Call<RegisteredDomain> {
    return this.#ask("POST /api/v1/domains", { body: domain }, { options, isRepeatable: false });
  }

  list(options?: CallOptions): Call<ListDomainsAnswer> {
    return this.#ask("GET /api/v1/domains", {}, { options });
  }

  /** With its DNS records and what is published instead of them. */
  get(domainId: number, options?: CallOptions): Call<Domain> {
    return this.#ask("GET /api/v1/domains/{id}", { path: { id: String(domainId) } }, { options });
  }

  /** Asks for a check of its DNS records now. */
  verify(domainId: number, options?: CallOptions): Call<Domain> {
    return this.#ask("POST /api/v1/domains/{id}/verify", { path: { id: String(domainId) } }, { options });
  }

  remove(domainId: number, options?: CallOptions): Call<RemoveDomainAnswer> {
    return this.#ask("DELETE /api/v1/domains/{id}", { path: { id: String(domainId) } }, { options });
  }
}
