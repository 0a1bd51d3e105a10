import { ActionIcon, Tooltip, useMantineColorScheme } from "@mantine/core";
import { IconHelp, IconLogout, IconMoon, IconSearch, IconSun, IconUserCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { session } from "../api/session.ts";
import { useMe } from "../api/use-me.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Mark } from "./mark.tsx";
import { ModeSwitch } from "./mode-switch.tsx";
import type { Page } from "./pages.ts";
import classes from "./sidebar.module.css";
import { useListedGroups } from "./use-listed-groups.ts";

export function Sidebar({ onJump, onHelp }: { onJump: () => void; onHelp: () => void }) {
  const groups = useListedGroups();
  return (
    <nav className={classes.sidebar} aria-label="Pages">
      <div className={classes.brand}>
        <Mark />
      </div>
      <AccountMenu />
      <ModeSwitch />
      <button type="button" className={classes.jump} onClick={onJump}>
        <IconSearch size={16} stroke={1.75} />
        Jump to
        <kbd>Ctrl K</kbd>
      </button>
      {groups.map(({ heading, pages }) => (
        <div key={heading ?? "first"}>
          {heading === undefined ? null : <p className={classes.heading}>{heading}</p>}
          {pages.map((page) => (
            <PageLink key={page.path} page={page} />
          ))}
        </div>
      ))}
      <Footer onHelp={onHelp} />
    </nav>
  );
}

function PageLink({ page: { path, name, icon: Icon } }: { page: Page }) {
  return (
    <Link to={path} className={classes.link} activeOptions={{ exact: path === "/", includeSearch: false }}>
      <Icon size={16} stroke={1.75} aria-hidden />
      {name}
    </Link>
  );
}

function Footer({ onHelp }: { onHelp: () => void }) {
  const { email } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark =
    colorScheme === "dark" || (colorScheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  return (
    <div className={classes.footer}>
      <span className={classes.email} title={email}>
        {email}
      </span>
      <Tooltip label="Help and keys (?)">
        <ActionIcon aria-label="Help and keys" onClick={onHelp}>
          <IconHelp size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={isDark ? "Light colours" : "Dark colours"}>
        <ActionIcon
          aria-label={isDark ? "Light colours" : "Dark colours"}
          onClick={() => setColorScheme(isDark ? "light" : "dark")}
        >
          {isDark ? <IconSun size={16} stroke={1.75} /> : <IconMoon size={16} stroke={1.75} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Profile">
        <Link to="/profile" className={classes.icon} aria-label="Profile">
          <IconUserCircle size={16} stroke={1.75} />
        </Link>
      </Tooltip>
      <Tooltip label="Log out">
        <ActionIcon aria-label="Log out" onClick={() => void session.logOut()}>
          <IconLogout size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
