import { useMe } from "../../api/use-me.ts";
import { stringifySearch, useMode } from "../../frame/search-state.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The API gives one answer for an unknown id and for a send of another account. */
export function NoSuchSend({ id }: { id: string }) {
  const { memberships, tenant_id } = useMe();
  const mode = useMode() === "test" ? "test" : undefined;
  const account = memberships.find((each) => each.tenant_id === tenant_id)?.name ?? "This account";
  const others = memberships.filter((each) => each.tenant_id !== tenant_id);
  const isId = uuid.test(id);
  return (
    <>
      <PageHeader
        title="Send not found"
        breadcrumb={{ label: "Activity", href: `/activity${stringifySearch({ mode })}` }}
      />
      <Panel>
        <EmptyState
          title={isId ? `${account} has no send with this id` : "This is not the id of a send"}
          action={
            isId ? (
              <AppLink href={`/activity${stringifySearch({ mode })}`}>Show all sends</AppLink>
            ) : (
              <AppLink href={`/activity${stringifySearch({ mode, provider_message_id: id })}`}>
                Search it as an SES id
              </AppLink>
            )
          }
        >
          <p className="mono" style={{ overflowWrap: "anywhere" }}>
            {id}
          </p>
          {isId ? (
            <p>
              Check that the id is complete.{" "}
              {others.length === 0
                ? "If the mail was sent with a key of another account, ask its owner."
                : `It may belong to another of your accounts (${others.map(({ name }) => name).join(", ")}): switch the account at the top left.`}
            </p>
          ) : (
            <p>A send id has 36 characters, as in 019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4.</p>
          )}
        </EmptyState>
      </Panel>
    </>
  );
}
