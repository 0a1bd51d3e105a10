/** What people do in a browser: it needs no samples for programs, and the client has no methods for it. */
const paths =
  /^\/api\/v1\/(members|invitations|audit|operator|sends\/export|events\/export|suppression\/export|content-views|send\/\{id\}\/content\/(view|attachments)|auth\/(sessions|totp|me|switch|invitations|password|password-reset|methods|oidc))(\/|$)/;

export function isForPeople(method: string, path: string): boolean {
  return paths.test(path) || (method.toUpperCase() === "PATCH" && path === "/api/v1/account");
}
