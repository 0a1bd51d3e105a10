import type { Queryable } from "../db/database.ts";
import type { AddressPatterns } from "./address-patterns.ts";

export interface KeptRows {
  /** People who log in with the address, and accounts of the OIDC issuer with it. */
  logins: number;
  /** Webhook endpoints with the address in their URL. */
  webhooks: number;
  suppressions: number;
}

/** What erasing an address leaves, because something works by it. */
export async function countKept(db: Queryable, { inText, inMailbox, key }: AddressPatterns): Promise<KeptRows> {
  const [row] = await db.query<KeptRows>({
    name: "count-kept-rows",
    text: `
      select (
          select count(*)
          from users u
          where u.email ~* $2
            or u.contact_email ~* $2
            or exists (select from oidc_identities i where i.user_id = u.id and i.subject ~* $1)
        ) as logins,
        (select count(*) from webhook_endpoints where url ~* $1) as webhooks,
        (select count(*) from suppressions where email = $3) as suppressions`,
    values: [inText, inMailbox, key],
  });
  return row ?? { logins: 0, webhooks: 0, suppressions: 0 };
}
