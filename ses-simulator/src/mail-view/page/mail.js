import { byId, element } from "./element.js";
import { tabs } from "./tabs.js";

export async function showMail(messageId) {
  const response = await fetch(`/_simulator/mails/${encodeURIComponent(messageId)}`);
  if (!response.ok) {
    byId("mail").replaceChildren(element("p", {}, "This mail does not exist."));
    return;
  }
  const mail = await response.json();
  const raw = await (await fetch(`/_simulator/mails/${encodeURIComponent(messageId)}/raw`)).text();
  const shown = [
    element("a", { class: "back", href: "#" }, "‹ All mails"),
    element("h2", {}, mail.subject || "(no subject)"),
    mail.label === undefined ? undefined : labelLine(mail),
    facts(mail),
    mail.label === undefined ? actions(mail) : undefined,
    tabs([
      ["HTML", mail.html === undefined ? undefined : frame(mail.html)],
      ["Text", mail.text === undefined ? undefined : element("pre", {}, mail.text)],
      ["Raw", element("pre", {}, raw)],
    ]),
  ];
  byId("mail").replaceChildren(...shown.filter((child) => child !== undefined));
  byId("mail").scrollTop = 0;
}

/** Explains a mail that SES did not get. */
function labelLine(mail) {
  return element("p", { class: "note" }, element("span", { class: "label" }, mail.label), mail.note);
}

/** The frame has no scripts, no forms and an opaque origin, so no mail can reach the page. */
function frame(html) {
  return element("iframe", { sandbox: "", title: "HTML of the mail", srcdoc: html });
}

function facts(mail) {
  const { to, cc, bcc } = mail.destination;
  const attachments = mail.attachments.map(
    ({ name, type, sizeBytes }) => `${name} (${type}, ${sizeBytes.toLocaleString("en")} bytes)`,
  );
  const rows = [
    ["From", mail.from],
    ["To", to.join(", ")],
    ["Cc", cc.join(", ")],
    ["Bcc", bcc.join(", ")],
    ["Reply to", mail.replyTo.join(", ")],
    ["Accepted", new Date(mail.acceptedAt).toLocaleString()],
    [mail.label === undefined ? "Message id" : "Send id", element("code", {}, mail.messageId)],
    ["Attached", attachments.join(", ")],
    ["Tags", tags(mail.tags)],
    ["Events", events(mail)],
  ];
  const filled = rows.filter(([, value]) => value !== undefined && value !== "");
  return element("dl", {}, ...filled.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function tags(tagValues) {
  const all = Object.entries(tagValues).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
  return all.length === 0
    ? undefined
    : element("span", {}, ...all.map((tag) => element("span", { class: "tag" }, tag)));
}

function events(mail) {
  const planned = mail.events.map(({ details, copies }) => ({ details, note: copies === 1 ? "" : ` ×${copies}` }));
  const triggered = mail.triggered.map(({ details }) => ({ details, note: " (by hand)" }));
  return element(
    "ol",
    { class: "events", "aria-label": "Events" },
    ...[...planned, ...triggered].map(({ details, note }) =>
      element(
        "li",
        { class: details.type.toLowerCase(), title: details.recipients?.join(", ") ?? "" },
        describe(details) + note,
      ),
    ),
  );
}

function describe(details) {
  switch (details.type) {
    case "Bounce":
      return `Bounce ${details.bounceType}/${details.bounceSubType}`;
    case "Complaint":
      return `Complaint ${details.feedbackType ?? ""}`;
    case "DeliveryDelay":
      return `Delayed ${details.delayType}`;
    default:
      return details.type;
  }
}

function actions(mail) {
  const result = element("output", {});
  const button = (label, event) =>
    element("button", { type: "button", onclick: () => void trigger(mail, event, result) }, label);
  return element(
    "div",
    { class: "actions", role: "group", "aria-labelledby": "actions-label" },
    element("span", { id: "actions-label" }, "Simulate"),
    button("bounce", { type: "Bounce" }),
    button("soft bounce", { type: "Bounce", bounceType: "Transient", bounceSubType: "MailboxFull" }),
    button("complaint", { type: "Complaint" }),
    result,
  );
}

async function trigger(mail, event, result) {
  const path = `/_simulator/mails/${encodeURIComponent(mail.messageId)}/events`;
  const response = await fetch(path, { method: "POST", body: JSON.stringify(event) });
  const { published, error } = await response.json();
  const { triggered } = await (await fetch(`/_simulator/mails/${encodeURIComponent(mail.messageId)}`)).json();
  document.querySelector(".events")?.replaceWith(events({ ...mail, triggered: triggered ?? mail.triggered }));
  if (!response.ok) result.textContent = error;
  else if (published) result.textContent = `Published ${event.type} to the topic of ${mail.configurationSetName}.`;
  else result.textContent = `Recorded ${event.type}. The mail has no configuration set, so SES publishes no event.`;
}
