import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { setNonce } from "get-nonce";
import type { ReactNode } from "react";
import { cssVariablesResolver } from "./css-variables.ts";
import { theme } from "./theme.ts";
import "./mantine.css";
import "./base.css";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

// The scroll lock of dialogs adds a style element of its own and takes the nonce from here.
setNonce(nonce);

const colorSchemeManager = localStorageColorSchemeManager({ key: "postern-colour-scheme" });

export function Theme({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
      <Notifications position="bottom-right" limit={3} role="status" />
    </MantineProvider>
  );
}
