import { addGuardCounts } from "../../../service/test/guard-counts.ts";
import { makeOperator } from "../../test/operator-person.ts";
import type { Person } from "../../test/person.ts";
import type { Task } from "./tasks.ts";

/** Of the round that runs now. */
const persons = new WeakMap<object, { operator: Person; tenant: Person }>();

/** Tenants of earlier rounds are on hold already, so one account is warned about. */
export const holdTenant: Task = {
  name: "find the tenant that harms the reputation and hold it",
  async prepare(context) {
    const { session } = context;
    const tenant = await session.aPerson({ accountName: `Copperline ${context.domain}` });
    await session.aPerson({ accountName: `Quiet ${context.domain}` });
    await addGuardCounts(session.db, tenant.accountId, { outcomes: 1000, hardBounces: 90 });
    persons.set(context, { tenant, operator: await session.aPerson({ accountName: "Operations" }) });
  },
  person: (context) => of(context).operator,
  loggedIn: (context) => makeOperator(context.session.db, of(context).operator),
  async perform(hand, context) {
    const { page } = hand;
    const { tenant } = of(context);
    await hand.click(page.getByRole("link", { name: "Status" }));
    const warned = page.getByRole("row").filter({ hasText: "Warned" }).first();
    await hand.click(warned.getByRole("button", { name: /^Actions for/ }));
    await hand.click(page.getByRole("menuitem", { name: "Hold mail…" }));
    await hand.type("bounces");
    await hand.press("Enter");
    await hand.sees(page.getByText(`The mail of Copperline ${context.domain} is on hold.`));
    await hand.outsideClock(async () => {
      const { held } = await context.session.api(tenant).get<{ held: boolean }>("/account");
      if (!held) throw new Error("the account is not on hold");
    });
  },
};

function of(context: object) {
  const found = persons.get(context);
  if (found === undefined) throw new Error("the task is not prepared");
  return found;
}
