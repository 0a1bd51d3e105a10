import { byId, element } from "./element.js";

const pageSize = 50;

/** The records in the list, newest first, and the recipient filter that selected them. */
let shown = [];
let shownFor = "";

/** Adds newer mails; older mails that are already loaded stay in the list. */
export async function refreshList(recipient) {
  const { total, records } = await fetchRecords(recipient);
  byId("count").textContent = total === 1 ? "1 mail accepted" : `${total.toLocaleString("en")} mails accepted`;
  const isSame =
    recipient === shownFor && records[0]?.messageId === shown[0]?.messageId && records.length <= shown.length;
  if (!isSame) {
    const known = new Set(records.map(({ messageId }) => messageId));
    const older = recipient === shownFor ? shown.filter(({ messageId }) => !known.has(messageId)) : [];
    shown = [...records, ...older];
    shownFor = recipient;
    byId("more").hidden = records.length < pageSize && older.length === 0;
    render();
  }
  return { total };
}

export async function loadOlder(recipient) {
  const last = shown.at(-1);
  if (last === undefined) return;
  const { records } = await fetchRecords(recipient, last.messageId);
  shown = [...shown, ...records];
  byId("more").hidden = records.length < pageSize;
  render();
}

export function markCurrent(messageId) {
  for (const link of byId("list").querySelectorAll("a")) {
    if (link.hash.slice(1) === messageId) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

async function fetchRecords(recipient, before) {
  const query = new URLSearchParams({ limit: String(pageSize), recipient });
  if (before !== undefined) query.set("before", before);
  return (await fetch(`/_simulator/ledger?${query}`)).json();
}

function render() {
  byId("list").replaceChildren(...shown.map(row));
  markCurrent(location.hash.slice(1));
}

function row({ messageId, subject, destination, acceptedAt, events }) {
  const recipients = [...destination.to, ...destination.cc, ...destination.bcc];
  const time = new Date(acceptedAt);
  return element(
    "li",
    {},
    element(
      "a",
      { href: `#${messageId}` },
      element("span", { class: "subject" }, subject || "(no subject)"),
      element("time", { datetime: acceptedAt, title: time.toLocaleString() }, shortTime(time)),
      element("span", { class: "recipients" }, `to ${recipients.join(", ")}`),
      element("span", { class: "problem" }, problem(events)),
    ),
  );
}

/** The most severe event that SES publishes for the mail. */
function problem(events) {
  const types = events.map(({ details }) => details.type);
  return ["Complaint", "Bounce", "Reject"].find((type) => types.includes(type)) ?? "";
}

function shortTime(time) {
  const isToday = time.toDateString() === new Date().toDateString();
  const clock = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return isToday ? clock : time.toLocaleDateString([], { day: "numeric", month: "short" });
}
