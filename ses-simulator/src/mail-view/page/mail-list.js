import { byId, element } from "./element.js";

const pageSize = 50;

/** The mails in the list, newest first, the search that selected them, and where the list continues. */
let shown = [];
let shownFor = "";
let next;

/** Adds newer mails; older mails that are already loaded stay in the list. Undefined when there is no answer to show. */
export async function refreshList(search) {
  const page = await fetchMails(search);
  if (page === undefined) return undefined;
  byId("count").textContent =
    `SES accepted ${page.accepted === 1 ? "1 mail" : `${page.accepted.toLocaleString("en")} mails`}`;
  const known = new Set(page.mails.map(({ messageId }) => messageId));
  const older = search === shownFor ? shown.filter(({ messageId }) => !known.has(messageId)) : [];
  if (older.length === 0) next = page.next;
  const mails = [...page.mails, ...older];
  const isSame = search === shownFor && JSON.stringify(mails) === JSON.stringify(shown);
  shown = mails;
  shownFor = search;
  if (!isSame) render();
  showNote(page);
  return { isEmpty: page.accepted === 0 && search === "" && shown.length === 0 };
}

export async function loadOlder(search) {
  const page = next === undefined ? undefined : await fetchMails(search, next);
  if (page === undefined) return;
  const known = new Set(shown.map(({ messageId }) => messageId));
  shown = [...shown, ...page.mails.filter(({ messageId }) => !known.has(messageId))];
  next = page.next;
  render();
}

/** A search reads the newest mails only, and says so when that matters. */
function showNote({ searched, accepted }) {
  const newest = `the newest ${searched.toLocaleString("en")} mails`;
  let note = "";
  if (shownFor.trim() !== "" && shown.length === 0) note = `No mail matches. The search reads ${newest}.`;
  else if (shownFor.trim() !== "" && accepted > searched) note = `The search reads ${newest}.`;
  if (byId("search-note").textContent !== note) byId("search-note").textContent = note;
  byId("search-note").hidden = note === "";
}

export function markCurrent(messageId) {
  for (const link of byId("list").querySelectorAll("a")) {
    if (link.hash.slice(1) === messageId) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Undefined when the simulator cannot answer, and for a search that the user has changed in the meantime. */
async function fetchMails(search, before) {
  const query = new URLSearchParams({ limit: String(pageSize), search });
  if (before !== undefined) query.set("before", before);
  const response = await fetch(`/_simulator/mails?${query}`);
  if (!response.ok) return undefined;
  const page = await response.json();
  return byId("search").value === search ? page : undefined;
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
