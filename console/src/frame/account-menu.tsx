import { Menu } from "@mantine/core";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import { useState } from "react";
import type { ApiError } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { session } from "../api/session.ts";
import { useMe } from "../api/use-me.ts";
import classes from "./sidebar.module.css";

/** Shows the account of this session; a person with several accounts changes it here. */
export function AccountMenu() {
  const { tenant_id, memberships } = useMe();
  const [problem, setProblem] = useState<string>();
  const current = memberships.find((membership) => membership.tenant_id === tenant_id);
  const name = current?.name ?? "Account";

  async function switchTo(id: string) {
    setProblem(undefined);
    try {
      session.open(await call("POST /api/v1/auth/switch", { body: { tenant_id: id, browser: true } }), "switched");
      // A new page, so that nothing of the account before stays on it.
      location.assign("/");
    } catch (error) {
      setProblem((error as ApiError).message);
    }
  }

  const label = (
    <>
      <span className={classes.initials} aria-hidden="true">
        {initials(name)}
      </span>
      <span className={classes.accountName}>{name}</span>
    </>
  );
  if (memberships.length < 2) return <div className={classes.account}>{label}</div>;
  return (
    <>
      <Menu width="target" position="bottom-start">
        <Menu.Target>
          <button type="button" className={classes.account} aria-label={`Account ${name}: change`}>
            {label}
            <IconSelector size={15} stroke={1.75} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {memberships.map((membership) => (
            <Menu.Item
              key={membership.tenant_id}
              disabled={membership.suspended}
              rightSection={membership.tenant_id === tenant_id ? <IconCheck size={15} /> : null}
              onClick={() => void switchTo(membership.tenant_id)}
            >
              {membership.name}
              {membership.suspended ? " (suspended)" : ""}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {problem === undefined ? null : (
        <p role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
    </>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join("");
}
