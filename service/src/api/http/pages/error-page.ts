import { STATUS_CODES } from "node:http";
import { AppError, type ErrorCode, errorCodes, fieldProblemCodes } from "../../../errors.ts";
import { errorCatalogue } from "../error-catalogue.ts";
import { errorBody } from "../error-response.ts";
import { escapeHtml, textToHtml } from "./page.ts";

const exampleRequestId = "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f";

export function explanationPage(code: ErrorCode, publicUrl: string): string {
  const { status, meaning, action } = errorCatalogue[code];
  return `    <h1 class="code">${code}</h1>
    <p class="status">HTTP ${status} ${STATUS_CODES[status]}</p>
    <h2>Cause</h2>
    <p>${textToHtml(meaning)}</p>
    <h2>Fix</h2>
    <p>${textToHtml(action)}</p>
    <h2>Example</h2>
    <pre>${escapeHtml(exampleResponse(code, publicUrl))}</pre>
    ${code === "VALIDATION_ERROR" ? detailCodes() : ""}
    <p class="status"><a href="/errors">All error codes</a></p>`;
}

export function explanationText(code: ErrorCode): string {
  const { status, meaning, action, example } = errorCatalogue[code];
  return `${code} (HTTP ${status})\n\nCause: ${meaning}\nFix: ${action}\nExample: ${example.message}\n`;
}

function exampleResponse(code: ErrorCode, publicUrl: string): string {
  const { status, example } = errorCatalogue[code];
  const { message, details, header } = example;
  const error = new AppError(code, message, details === undefined ? {} : { details });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    ...(header === undefined ? [] : [header]),
    `X-Request-Id: ${exampleRequestId}`,
  ];
  return `${lines.join("\n")}\n\n${JSON.stringify(errorBody(error, exampleRequestId, publicUrl), null, 2)}`;
}

function detailCodes(): string {
  const rows = Object.entries(fieldProblemCodes).map(
    ([name, meaning]) => `<dt><code>${name}</code></dt><dd>${textToHtml(meaning)}</dd>`,
  );
  return `<h2>Codes in details</h2><dl>${rows.join("")}</dl>`;
}

export function indexPage(): string {
  return `    <h1>Error codes</h1>
    <p class="lead">Every error response names its code in <code>error.code</code> and links to its page in <code>error.doc_url</code>.</p>
    ${codeList()}`;
}

export function unknownCodePage(given: string): string {
  return `    <h1>Unknown error code</h1>
    <p class="lead">No error has the code <code>${escapeHtml(given.slice(0, 64))}</code>. The interface has these codes:</p>
    ${codeList()}`;
}

export function indexText(): string {
  const lines = byStatus().map(
    (code) => `${errorCatalogue[code].status} ${code.padEnd(22)} ${errorCatalogue[code].meaning}`,
  );
  return `${lines.join("\n")}\n`;
}

function codeList(): string {
  const items = byStatus().map((code) => {
    const { status, meaning } = errorCatalogue[code];
    return `<li class="code"><a href="/errors/${code}"><strong>${code}</strong><span>${status}. ${textToHtml(meaning)}</span></a></li>`;
  });
  return `<ul class="links">${items.join("")}</ul>`;
}

function byStatus(): ErrorCode[] {
  return errorCodes.toSorted((one, other) => errorCatalogue[one].status - errorCatalogue[other].status);
}
