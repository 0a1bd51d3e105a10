import { byId, element } from "./element.js";

/** Shows how to send the first mail, or asks the user to choose one. */
export function showEmpty() {
  const hasMail = !document.body.classList.contains("without-mail");
  byId("mail").replaceChildren(
    element("div", { class: "empty" }, envelope(), ...(hasMail ? choiceText() : firstMailText())),
  );
}

function choiceText() {
  return [
    element("h2", {}, "Choose a mail"),
    element("p", {}, "The page shows it as its recipient would see it. No mail has left this machine."),
  ];
}

function firstMailText() {
  const { origin } = location;
  const settings = ["SESV2", "SNS", "SQS"].map((service) => `export AWS_ENDPOINT_URL_${service}=${origin}`);
  return [
    element("h2", {}, "No mail yet"),
    element("p", {}, "Every mail that SES would accept appears here. Point your AWS SDK at this address:"),
    element(
      "pre",
      { tabindex: "0" },
      [...settings, "export AWS_ACCESS_KEY_ID=simulator", "export AWS_SECRET_ACCESS_KEY=simulator"].join("\n"),
    ),
  ];
}

function envelope() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 48 36");
  svg.setAttribute("aria-hidden", "true");
  for (const shape of ["M4 6a3 3 0 0 1 3-3h34a3 3 0 0 1 3 3v24a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3z", "M5 6l19 14L43 6"]) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", shape);
    path.setAttribute("fill", "none");
    path.setAttribute("stroke", "currentColor");
    path.setAttribute("stroke-width", "2");
    svg.append(path);
  }
  return svg;
}
