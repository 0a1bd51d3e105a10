import { addGuardCounts } from "../../service/test/guard-counts.ts";
import { change } from "../../service/test/send-rows.ts";
import type { ConsoleSession } from "../test/console-session.ts";
import { makeOperator } from "../test/operator-person.ts";
import type { Person } from "../test/person.ts";
import { seedUsage, sixtyDays } from "../test/seed-usage.ts";

/** The other accounts of the installation, one of them with too many bounces, and the operator who looks at all of them. */
export async function seedOtherTenants(session: ConsoleSession): Promise<{ olga: Person; harmfulId: string }> {
  const { db } = session;
  const harmful = await session.aPerson({ accountName: "Copperline Deals", email: "max@copperline.example" });
  const quiet = await session.aPerson({ accountName: "Harbour Clinic", email: "lin@harbour-clinic.example" });
  const olga = await session.aPerson({ accountName: "Operations", email: "olga@postern.example" });
  for (const { accountId } of [harmful, quiet]) await seedUsage(db, accountId, sixtyDays());
  await addGuardCounts(db, harmful.accountId, { outcomes: 1840, hardBounces: 131 });
  await addGuardCounts(db, quiet.accountId, { outcomes: 920, hardBounces: 4 });
  return { olga, harmfulId: harmful.accountId };
}

/** The flag needs two-factor authentication, for which a log-in would need a code. So the log-in comes before the flag, each time. */
export async function logInAsOperator<T>({ db }: ConsoleSession, olga: Person, logIn: () => Promise<T>): Promise<T> {
  await change(db, "update users set totp_enabled_at = null where id = $1", [olga.id]);
  const loggedIn = await logIn();
  await makeOperator(db, olga);
  return loggedIn;
}

/** Mistakes that developers make, each stored with its reason. */
export async function makeMistakes({ url }: ConsoleSession, key: string): Promise<void> {
  const mail = {
    from: "orders@fernhill.example",
    to: ["tom@harbourlight.example"],
    subject: "Your order",
    text: "Thank you.",
  };
  const requests: [apiKey: string, body: object][] = [
    [key, { ...mail, to: ["tom@harbourlight"] }],
    [key, { ...mail, subject: undefined, reply_to: "orders" }],
    [key, { ...mail, from: "orders@fernhil.example" }],
    [`${key.slice(0, -4)}0000`, mail],
    [key, { ...mail, headers: { "X-SES-Configuration-Set": "shop" } }],
    [key, { ...mail, scheduled_at: "tomorrow" }],
  ];
  for (const [apiKey, body] of requests) {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const answer = await fetch(`${url}/api/v1/send`, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.ok) throw new Error(`POST /send answered ${answer.status} to a mistake`);
    await answer.body?.cancel();
  }
}
