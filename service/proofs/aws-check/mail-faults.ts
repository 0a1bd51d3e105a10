import type { SimulatedAws } from "../../test/simulated-aws.ts";
import { type Fault, shortTimeoutMs } from "./fault.ts";

/** No event arrives at all. */
const shortest = 1_000;

const lostEvents =
  (...lost: string[]) =>
  (aws: SimulatedAws) =>
    aws.control("POST", "rules", { events: { lost } });

export const mailFaults: Fault[] = [
  {
    name: "no event arrives",
    inject: lostEvents("Send", "Delivery", "Bounce", "Complaint"),
    check: "mail.events",
    fix: /configuration set, the event destination and the topic/,
    timeoutMs: shortest,
  },
  {
    name: "the complaint is lost",
    inject: lostEvents("Complaint"),
    check: "mail.complaint",
    fix: /longer --timeout/,
    timeoutMs: shortTimeoutMs,
  },
  {
    name: "Send events are lost",
    inject: lostEvents("Send"),
    check: "mail.success",
    fix: /longer --timeout/,
    consequences: ["mail.bounce", "mail.complaint", "mail.ooto", "mail.attachment"],
    timeoutMs: shortTimeoutMs,
  },
  {
    name: "SES pauses the account while it sends",
    inject: (aws) => aws.deny("SendEmail", "SendingPausedException", "Email sending is paused for your account"),
    check: "mail.success",
    fix: /has stopped the sending/,
  },
  {
    name: "SES throttles",
    inject: (aws) => aws.deny("SendEmail", "TooManyRequestsException", "Maximum sending rate exceeded"),
    check: "mail.success",
    fix: /SES throttles/,
  },
];
