import type { Queryable } from "../db/database.ts";
import { ConfigurationError } from "../errors.ts";

export type ProviderKind = "ses" | "simulator";

/** The first process that starts decides permanently whether this database records real mail or simulated mail. */
export async function rememberProvider(db: Queryable, provider: ProviderKind): Promise<void> {
  // The update changes no value. It makes the row visible when another process inserted it first.
  const [row] = await db.query<{ provider: ProviderKind }>({
    name: "remember-provider",
    text: `
      insert into cell (provider)
      values ($1)
      on conflict (only_row) do update set provider = cell.provider
      returning provider`,
    values: [provider],
  });
  if (row?.provider === provider) return;
  throw new ConfigurationError(
    `This database belongs to POSTERN_PROVIDER=${row?.provider}, but this process is set to ${provider}. ` +
      "Use another database for the other provider: one database must not mix real and simulated mail.",
  );
}
