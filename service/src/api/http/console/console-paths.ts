/** The paths of console/src/router.tsx. A browser that opens one of them gets the page of the console. */
export const consolePaths = [
  "/activity",
  "/sends/:id",
  "/domains",
  "/domains/:id",
  "/suppressions",
  "/keys",
  "/usage",
  "/profile",
  "/log-in",
  "/reset-password",
  "/invitation",
] as const;
