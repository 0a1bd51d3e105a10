import { IconUserCircle } from "@tabler/icons-react";
import { useMe } from "../api/use-me.ts";
import { AppLink } from "./app-link.tsx";
import { EmptyState, WaysOut } from "./empty-state.tsx";
import { PageHeader } from "./page-header.tsx";
import { Panel } from "./panel.tsx";
import { useHref } from "./use-href.ts";

/** A page that the role of the person does not open. `shows` completes "Owners see here …". */
export function OwnersOnly({ title, shows }: { title: string; shows: string }) {
  const { role } = useMe();
  const href = useHref();
  return (
    <>
      <PageHeader title={title} />
      <Panel flush>
        <EmptyState title="Only owners of this account see this page">
          <p>
            Owners see here {shows}. Your role is {role}. Ask an owner to look for you, or to change your role.
          </p>
          <WaysOut
            ways={[
              {
                icon: <IconUserCircle size={16} stroke={1.75} />,
                title: "Profile",
                note: "Your role, password, second factor and sessions",
                action: <AppLink href={href("/profile")}>Open profile</AppLink>,
              },
            ]}
          />
        </EmptyState>
      </Panel>
    </>
  );
}
