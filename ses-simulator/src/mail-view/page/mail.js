import { attachmentList } from "./attachments.js";
import { byId, element } from "./element.js";
import { withInlineImages } from "./inline-images.js";
import { rawMail } from "./raw-mail.js";
import { tabs } from "./tabs.js";

/** Does nothing when the user has chosen another mail in the meantime. */
export async function showMail(messageId) {
  const response = await fetch(`/_simulator/mails/${encodeURIComponent(messageId)}`);
  const mail = response.ok ? await response.json() : undefined;
  const shown = mail === undefined ? [element("p", {}, "This mail does not exist.")] : await contentOf(mail);
  if (decodeURIComponent(location.hash.slice(1)) !== messageId) return;
  byId("mail").replaceChildren(...shown.filter((child) => child !== undefined));
  byId("mail").scrollTop = 0;
}

async function contentOf(mail) {
  return [
    element("a", { class: "back", href: "#" }, "‹ All mails"),
    element("h2", {}, mail.subject || "(no subject)"),
    mail.label === undefined ? undefined : labelLine(mail),
    facts(mail),
    mail.label === undefined ? actions(mail) : undefined,
    tabs([
      ["HTML", mail.html === undefined ? undefined : frame(await withInlineImages(mail))],
      ["Text", mail.text === undefined ? undefined : element("pre", {}, mail.text)],
      ["Headers", customHeaders(mail)],
      ["Raw", await rawMail(mail.messageId)],
    ]),
  ];
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
  const rows = [
    ["From", mail.from],
    ["To", to.join(", ")],
    ["Cc", cc.join(", ")],
    ["Bcc", bcc.join(", ")],
    ["Reply to", mail.replyTo.join(", ")],
    ["Accepted", new Date(mail.acceptedAt).toLocaleString()],
    [mail.label === undefined ? "Message id" : "Send id", element("code", {}, mail.messageId)],
    ["Attached", attachmentList(mail)],
    ["Tags", tags(mail.tags)],
    ["Events", events(mail)],
  ];
  const filled = rows.filter(([, value]) => value !== undefined && value !== "");
  return element("dl", {}, ...filled.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

/** The headers that the sender added, without those that every mail has. */
function customHeaders(mail) {
  if (mail.customHeaders.length === 0) return undefined;
  const rows = mail.customHeaders.map(({ name, value }) => [element("dt", {}, name), element("dd", {}, value)]);
  return element("dl", { class: "headers" }, ...rows.flat());
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
