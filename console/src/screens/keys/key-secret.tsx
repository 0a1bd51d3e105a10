import { useQuery } from "@tanstack/react-query";
import type { CreatedApiKey } from "../../api/api-types.ts";
import { Secret, SnippetTabs } from "../../parts/snippet.tsx";
import { keySnippets } from "./key-snippets.ts";
import { domainsQuery } from "./keys-queries.ts";

/** The secret, this one time, with what a person pastes next. */
export function KeySecret({ created }: { created: CreatedApiKey }) {
  const domains = useQuery(domainsQuery);
  const verified = domains.data?.find(({ verification_status }) => verification_status === "Success")?.domain_name;
  const { key, type } = created;
  const domain = created.domain ?? verified;
  return (
    <>
      <Secret value={key} label="key" />
      {created.scopes.includes("send") ? (
        <SnippetTabs label="First mail" tabs={keySnippets({ url: location.origin, key, type, domain })} />
      ) : null}
    </>
  );
}
