import { byId } from "./element.js";
import { showEmpty } from "./empty-page.js";
import { showMail } from "./mail.js";
import { loadOlder, markCurrent, refreshList } from "./mail-list.js";

const refreshEveryMs = 2000;

/** The URL fragment selects the mail, so that the back button, a reload and a shared link work. */
async function showSelectedMail() {
  const messageId = decodeURIComponent(location.hash.slice(1));
  document.body.classList.toggle("reading", messageId !== "");
  markCurrent(messageId);
  if (messageId !== "") await showMail(messageId);
  else showEmpty();
}

async function refresh() {
  if (document.visibilityState === "hidden") return;
  const wasEmpty = document.body.classList.contains("without-mail");
  const answer = await refreshList(byId("search").value);
  if (answer === undefined) return;
  const { isEmpty } = answer;
  document.body.classList.toggle("without-mail", isEmpty);
  if (location.hash === "" && wasEmpty !== isEmpty) showEmpty();
}

window.addEventListener("hashchange", () => void showSelectedMail());
byId("search").addEventListener("input", () => void refresh());
byId("more").addEventListener("click", () => void loadOlder(byId("search").value));
document.addEventListener("visibilitychange", () => void refresh());
setInterval(() => void refresh(), refreshEveryMs);

await refresh();
await showSelectedMail();
