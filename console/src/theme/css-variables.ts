import type { CSSVariablesResolver } from "@mantine/core";

const light = {
  paper: "#faf8f5",
  surface: "#ffffff",
  sunken: "#f4f1ec",
  raised: "#ffffff",
  line: "#e4ded6",
  "line-soft": "#eee9e2",
  field: "#8b8277",
  ink: "#23201c",
  muted: "#6b645b",
  icon: "#8b8277",
  accent: "#a5481f",
  "accent-hover": "#8c3b17",
  "on-accent": "#ffffff",
  good: "#2f6f46",
  info: "#2f5f87",
  warn: "#8a5a00",
  bad: "#b01e3c",
  plum: "#7d3a78",
  "chart-delivered": "#669e7d",
  "chart-open": "#7d94aa",
  "chart-bounced": "#cc4a61",
  "chart-suppressed": "#9a8f81",
  "chart-failed": "#b98012",
  "chart-complained": "#8e4a89",
  "shadow-panel": "0 1px 2px rgba(35,32,28,.04)",
  "shadow-popover": "0 8px 28px rgba(35,32,28,.12), 0 1px 3px rgba(35,32,28,.10)",
};

const dark: typeof light = {
  paper: "#161412",
  surface: "#1e1b18",
  sunken: "#282420",
  raised: "#3a352f",
  line: "#38332d",
  "line-soft": "#2b2723",
  field: "#857d73",
  ink: "#ece7e0",
  muted: "#a8a095",
  icon: "#857d73",
  accent: "#f0935f",
  "accent-hover": "#f5a97e",
  "on-accent": "#1d120b",
  good: "#7cc796",
  info: "#8dbbe3",
  warn: "#e3b65a",
  bad: "#ff8c9a",
  plum: "#d9a0d4",
  "chart-delivered": "#4f8463",
  "chart-open": "#587188",
  "chart-bounced": "#e8667b",
  "chart-suppressed": "#756c62",
  "chart-failed": "#d9a53f",
  "chart-complained": "#c07fbb",
  "shadow-panel": "none",
  "shadow-popover": "0 10px 32px rgba(0,0,0,.55), 0 0 0 1px var(--line)",
};

/** Mantine's own variables follow the tokens, so that its components need no colours of their own. */
const mapped = {
  "--hover": "color-mix(in srgb, var(--ink) 3.2%, transparent)",
  "--chosen": "color-mix(in srgb, var(--ink) 7%, transparent)",
  "--mantine-color-body": "var(--paper)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-bright": "var(--ink)",
  "--mantine-color-dimmed": "var(--muted)",
  "--mantine-color-placeholder": "var(--muted)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-default-hover": "var(--sunken)",
  "--mantine-color-disabled": "var(--sunken)",
  "--mantine-color-disabled-color": "var(--muted)",
  "--mantine-color-disabled-border": "var(--line)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-primary-color-filled": "var(--accent)",
  "--mantine-primary-color-filled-hover": "var(--accent-hover)",
  "--mantine-primary-color-contrast": "var(--on-accent)",
  "--mantine-color-terracotta-filled": "var(--accent)",
  "--mantine-color-terracotta-filled-hover": "var(--accent-hover)",
};

function asVariables(tokens: typeof light) {
  const own = Object.fromEntries(Object.entries(tokens).map(([name, value]) => [`--${name}`, value]));
  return { ...own, ...mapped };
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: asVariables(light),
  dark: asVariables(dark),
});
