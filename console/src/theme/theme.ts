import { createTheme, defaultVariantColorsResolver, type VariantColorsResolver } from "@mantine/core";

/** Filled buttons take their text colour from the tokens: white on the dark scheme's accent is not legible. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  const isBad = input.color === "bad" || input.color === "red";
  switch (input.variant) {
    case "filled":
      return {
        background: isBad ? "var(--bad)" : "var(--accent)",
        hover: isBad ? "color-mix(in srgb, var(--bad) 88%, var(--ink))" : "var(--accent-hover)",
        color: "var(--on-accent)",
        border: "1px solid transparent",
      };
    case "default":
      return {
        background: "var(--surface)",
        hover: "var(--sunken)",
        color: isBad ? "var(--bad)" : "var(--ink)",
        border: "1px solid var(--line)",
      };
    case "subtle":
      return {
        background: "transparent",
        hover: "var(--hover)",
        color: isBad ? "var(--bad)" : input.color === "gray" ? "var(--muted)" : "var(--accent)",
        border: "1px solid transparent",
      };
    default:
      return resolved;
  }
};

export const theme = createTheme({
  primaryColor: "terracotta",
  primaryShade: { light: 7, dark: 4 },
  white: "#ffffff",
  black: "#23201c",
  defaultRadius: "sm",
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  variantColorResolver,
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "20px", md: "20px", lg: "24px", xl: "28px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "10px", xl: "14px" },
  colors: {
    terracotta: [
      "#fbeee7",
      "#f6dccd",
      "#efbfa4",
      "#eba67f",
      "#f0935f",
      "#d2703d",
      "#b9572a",
      "#a5481f",
      "#8c3b17",
      "#6f2e11",
    ],
    gray: [
      "#faf8f5",
      "#f4f1ec",
      "#eee9e2",
      "#e4ded6",
      "#d3cbc1",
      "#b3aa9f",
      "#8b8277",
      "#6b645b",
      "#4a443d",
      "#23201c",
    ],
    dark: [
      "#ece7e0",
      "#cfc8be",
      "#a8a095",
      "#857d73",
      "#5a534b",
      "#3a352f",
      "#2b2723",
      "#211e1a",
      "#191714",
      "#13110f",
    ],
  },
  // Plain objects instead of Button.extend(): that would load every component named here with the first screen.
  components: {
    Button: { defaultProps: { size: "xs", variant: "default" } },
    ActionIcon: { defaultProps: { size: 26, variant: "subtle", color: "gray" } },
    SegmentedControl: { defaultProps: { size: "xs", withItemsBorders: false } },
    TextInput: { defaultProps: { size: "sm" } },
    PasswordInput: { defaultProps: { size: "sm" } },
    Textarea: { defaultProps: { size: "sm" } },
    Select: { defaultProps: { size: "sm" } },
    Modal: { defaultProps: { radius: 9, transitionProps: { duration: 0 } } },
  },
});
