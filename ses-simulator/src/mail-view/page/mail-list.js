import { byId, element } from "./element.js";

const pageSize = 50;

/** The mails in the list, newest first, the recipient filter that selected them, and where the list continues. */
let shown = [];
let shownFor = "";
let next;

/** Adds newer mails; older mails that are already loaded stay in the list. */
export async function refreshList(recipient) {
  const page = await fetchMails(recipient);
  if (page === undefined) return { isEmpty: shown.length === 0 };
  byId("count").textContent =
    `SES accepted ${page.accepted === 1 ? "1 mail" : `${page.accepted.toLocaleString("en")} mails`}`;
  const known = new Set(page.mails.map(({ messageId }) => messageId));
  const older = recipient === shownFor ? shown.filter(({ messageId }) => !known.has(messageId)) : [];
  if (older.length === 0) next = page.next;
  const mails = [...page.mails, ...older];
  const isSame = recipient === shownFor && JSON.stringify(mails) === JSON.stringify(shown);
  shown = mails;
  shownFor = recipient;
  if (!isSame) render();
  return { isEmpty: page.accepted === 0 && recipient === "" && shown.length === 0 };
}

export async function loadOlder(recipient) {
  const page = next === undefined ? undefined : await fetchMails(recipient, next);
  if (page === undefined) return;
  const known = new Set(shown.map(({ messageId }) => messageId));
  shown = [...shown, ...page.mails.filter(({ messageId }) => !known.has(messageId))];
  next = page.next;
  render();
}

export function markCurrent(messageId) {
  for (const link of byId("list").querySelectorAll("a")) {
    if (link.hash.slice(1) === messageId) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Undefined when the simulator cannot answer; the page shows what it has until the next refresh. */
async function fetchMails(recipient, before) {
  const query = new URLSearchParams({ limit: String(pageSize), recipient });
  if (before !== undefined) query.set("before", before);
  const response = await fetch(`/_simulator/mails?${query}`);
  return response.ok ? response.json() : undefined;
}

function render() {
  byId("list").replaceChildren(...shown.map(row));
  byId("more").hidden = next === undefined;
  markCurrent(location.hash.slice(1));
}

function row({ messageId, subject, destination, acceptedAt, label, eventTypes }) {
  const recipients = [...destination.to, ...destination.cc, ...destination.bcc];
  const time = new Date(acceptedAt);
  return element(
    "li",
    {},
    element(
      "a",
      { href: `#${messageId}` },
      line(
        element("span", { class: "subject" }, subject || "(no subject)"),
        element("time", { datetime: acceptedAt, title: time.toLocaleString() }, shortTime(time)),
      ),
      line(
        element("span", { class: "recipients" }, `to ${recipients.join(", ")}`),
        element("span", { class: "problem" }, problem(eventTypes)),
        label === undefined ? undefined : element("span", { class: "label" }, label),
      ),
    ),
  );
}

function line(...children) {
  return element("span", { class: "line" }, ...children);
}

/** The most severe event of the mail. */
function problem(eventTypes) {
  return ["Complaint", "Bounce", "Reject"].find((type) => eventTypes.includes(type)) ?? "";
}

function shortTime(time) {
  const isToday = time.toDateString() === new Date().toDateString();
  const clock = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return isToday ? clock : time.toLocaleDateString([], { day: "numeric", month: "short" });
}
