import { ActionIcon, Drawer } from "@mantine/core";
import { useDisclosure, useHotkeys, useMediaQuery } from "@mantine/hooks";
import { IconMenu2, IconSearch } from "@tabler/icons-react";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { Help } from "./help.tsx";
import { Mark } from "./mark.tsx";
import { Palette } from "./palette.tsx";
import { useMode } from "./search-state.ts";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";

/** Everything around a page: the sidebar, the palette (Ctrl K), the help (?) and the mark of test mode. */
export function Shell() {
  const [isPaletteOpen, palette] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const [isMenuOpen, menu] = useDisclosure();
  const isSmall = useMediaQuery("(max-width: 760px)");
  const { pathname } = useLocation();
  // The pages of operators show live and test mail side by side.
  const isOperator = pathname.startsWith("/operator/");
  const chosen = useMode();
  const mode = isOperator ? "live" : chosen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(menu.close, [pathname]);
  useHotkeys([
    ["mod+K", palette.toggle],
    ["shift+?", help.toggle],
    ["?", help.toggle],
  ]);

  const sidebar = <Sidebar onJump={palette.open} onHelp={help.open} />;
  return (
    <div className={classes.frame} data-mode={mode}>
      <a className={classes.skip} href="#page">
        Skip to the page
      </a>
      {isSmall ? (
        <nav className={classes.bar} aria-label="Console">
          <ActionIcon aria-label="Open the menu" size={40} onClick={menu.open}>
            <IconMenu2 size={20} />
          </ActionIcon>
          <Mark />
          {mode === "test" ? <span className={classes.testMark}>Test</span> : null}
          <ActionIcon aria-label="Jump to" size={40} onClick={palette.open} ml="auto">
            <IconSearch size={20} />
          </ActionIcon>
        </nav>
      ) : (
        <aside className={classes.side}>{sidebar}</aside>
      )}
      <main id="page" className={classes.page} tabIndex={-1}>
        {mode === "test" ? (
          <p className={classes.testBar}>Test mode: you see test mail only. It never leaves Postern.</p>
        ) : null}
        <Outlet />
      </main>
      {isSmall ? (
        <Drawer
          opened={isMenuOpen}
          onClose={menu.close}
          title="Menu"
          size={280}
          padding="md"
          closeButtonProps={{ "aria-label": "Close the menu" }}
        >
          {sidebar}
        </Drawer>
      ) : null}
      <Palette opened={isPaletteOpen} onClose={palette.close} />
      <Help opened={isHelpOpen} onClose={help.close} />
    </div>
  );
}
