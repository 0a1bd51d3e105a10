import { MissingOption, type RunContext } from "./run-context.ts";

/** The second user becomes a viewer of the first account until the run ends. Returns the headers of the viewer. */
export async function logInAsViewer({ admin, other }: RunContext): Promise<Record<string, string>> {
  const { body: owner } = await admin.asUser("GET", "/api/v1/auth/me");
  const { body: person } = await other().asUser("GET", "/api/v1/auth/me");
  const account = { tenant_id: owner.tenant_id };
  const membership = person.memberships.find(({ tenant_id }: { tenant_id: string }) => tenant_id === owner.tenant_id);
  if (membership === undefined) {
    const token = await admin.invite(person, "viewer");
    if (token === undefined) throw new MissingOption("a second user who is a viewer of the first account");
    await other().asUser("POST", "/api/v1/auth/invitations/join", { body: { token } });
  } else if (membership.role !== "viewer") {
    throw new MissingOption("a second user who is no developer or owner of the first account");
  }
  const { status, text, body } = await other().asUser("POST", "/api/v1/auth/switch", { body: account });
  if (status !== 200) throw new Error(`the API answered the switch of a viewer with ${status} ${text.slice(0, 300)}`);
  return { authorization: `Bearer ${body.access_token}` };
}
