import { randomUUIDv7 } from "node:crypto";
import { until } from "../../test/until.ts";
import type { Task } from "./tasks.ts";

const maxWaitMs = 60_000;
const requestIds = new WeakMap<object, string>();

export const findRefusal: Task = {
  name: "find why a request was refused from its request id",
  async prepare(context) {
    const { session, person, domain } = context;
    const requestId = randomUUIDv7();
    requestIds.set(context, requestId);
    const mail = { from: `hello@${domain}`, to: ["jane"], subject: "Your receipt", text: "Thank you." };
    const isRefused = await session
      .api(person)
      .post("/send", mail, { "x-request-id": requestId })
      .then(
        () => false,
        (error: Error) => error.message.includes("422"),
      );
    if (!isRefused) throw new Error("the request was not refused");
    await until("the refused request is in the log", maxWaitMs, async () => {
      const { data } = await session
        .api(person)
        .get<{ data: { requests: unknown[] } }>(`/requests?request_id=${requestId}`);
      return data.requests.length === 1;
    });
  },
  async perform(hand, context) {
    const { page } = hand;
    await hand.click(page.getByRole("link", { name: "Requests" }));
    await hand.press("/");
    await hand.paste(requestIds.get(context) ?? "");
    await hand.press("Enter");
    await hand.sees(page.getByText("to[0]").last());
    await hand.sees(page.getByRole("link", { name: /What VALIDATION_ERROR means/ }));
  },
};
