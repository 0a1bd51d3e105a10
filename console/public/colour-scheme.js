// Runs before the first paint, so that a dark page never flashes white. The policy of the page permits no inline script.
let scheme = null;
try {
  scheme = localStorage.getItem("postern-colour-scheme");
} catch {
  // Storage is blocked: follow the system.
}
if (scheme !== "light" && scheme !== "dark")
  scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
