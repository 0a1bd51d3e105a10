import type { SimulatedOutcome } from "./simulated-outcomes.ts";

export interface SeedSend {
  from: string;
  to: string[];
  cc?: string[];
  subject: string;
  text: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  /** The status that the send ends with. */
  status: "delivered" | "bounced" | "complained" | "suppressed" | "failed" | "sent";
  /** For the first recipient, in live mode. */
  outcome?: SimulatedOutcome;
}

type Planned = Omit<SeedSend, "from" | "text">;

/** The mail of a bookshop, oldest first. */
export function seedSends(mode: "live" | "test", { domain, label }: { domain: string; label: string }): SeedSend[] {
  const planned = mode === "live" ? liveSends(label) : testSends(label);
  const from = `Fernhill Books <orders@${mode === "live" ? domain : "sandbox.test"}>`;
  return planned.map((send) => ({ ...send, from, text: `${send.subject}. Thank you for buying at Fernhill Books.` }));
}

function liveSends(label: string): Planned[] {
  const at = (local: string, host: string) =>
    `${local}@${[host, label].filter((part) => part !== "").join("-")}.example`;
  const jane = at("jane.doe", "northwind");
  const kate = at("kate", "seaview");
  return [
    { to: [at("tom.ashby", "larkmail")], subject: "Your receipt for order 48102", status: "delivered" },
    { to: [jane], subject: "Reset your password", status: "bounced", outcome: "bounce" },
    {
      to: [at("m.okafor", "larkmail")],
      subject: "Order 48103 has shipped",
      tags: ["shipping", "books"],
      metadata: { order: 48_103 },
      status: "delivered",
    },
    { to: [at("office", "brightside")], subject: "Invoice 2026-1107", status: "bounced", outcome: "soft-bounce" },
    { to: [kate], subject: "New arrivals in November", status: "complained", outcome: "complaint" },
    {
      to: [at("lena", "northwind"), at("paul", "northwind")],
      cc: [at("accounts", "northwind")],
      subject: "Your order 48104: two gift cards",
      status: "delivered",
    },
    { to: [at("ruth", "slowpost")], subject: "Order 48105 is ready to collect", status: "sent", outcome: "delay" },
    { to: [at("print", "oldtown")], subject: "Catalogue proof attached", status: "failed", outcome: "refusal" },
    {
      to: [at("former.reader", "larkmail"), at("book.club", "larkmail")],
      subject: "Book club: the next meeting",
      status: "bounced",
      outcome: "bounce",
    },
    { to: [at("zoe", "larkmail")], subject: "Ihre Bestellung 48106 – Bücher & mehr", status: "delivered" },
    { to: [jane], subject: "Reset your password", status: "suppressed" },
    { to: [kate], subject: "Your receipt for order 48107", status: "suppressed" },
  ];
}

function testSends(label: string): Planned[] {
  const at = (scenario: string, name: string) =>
    `${scenario}+${[name, label].filter((part) => part !== "").join("-")}@sandbox.test`;
  const gone = at("bounced", "gone");
  return [
    { to: [at("delivered", "tom")], subject: "Test: your receipt", status: "delivered" },
    { to: [gone], subject: "Test: reset your password", status: "bounced" },
    { to: [at("soft-bounced", "office")], subject: "Test: invoice", status: "bounced" },
    { to: [at("complained", "kate")], subject: "Test: newsletter", status: "complained" },
    { to: [at("rejected", "print")], subject: "Test: catalogue proof", status: "failed" },
    { to: [at("throttled", "ruth")], subject: "Test: ready to collect", status: "delivered" },
    { to: [at("late-bounce", "lena")], subject: "Test: gift cards", status: "bounced" },
    {
      to: [at("delivered", "paul"), at("bounced", "club")],
      subject: "Test: book club",
      status: "bounced",
    },
    { to: [gone], subject: "Test: reset your password", status: "suppressed" },
  ];
}
