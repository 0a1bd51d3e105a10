import { script } from "./hostile-mails.ts";

/** `id` makes every host name unique, so that no cache hides a request. */
const attacks: ((id: string) => string)[] = [
  (id) => `<script>${script(id)}</script>`,
  (id) => `"><img src=x onerror="${script(id)}">`,
  (id) => `'><svg/onload="${script(id)}">`,
  (id) => `<img src="https://img-${id}.test/p.gif">`,
  (id) => `</title></textarea></style></script><iframe srcdoc="<script>${script(id)}</script>">`,
  (id) => `<style>*{background:url(https://css-${id}.test/)!important;display:none}</style>`,
  (id) => `<link rel=preconnect href=https://preconnect-${id}.test/><base href=https://base-${id}.test/>`,
  (id) => `<meta http-equiv=refresh content="0;url=https://refresh-${id}.test/">`,
  (id) => `javascript:${script(id)}`,
  (id) => `https://link-${id}.test/ www.plain-${id}.test data:text/html,<script>${script(id)}</script>`,
  (id) => `{{constructor.constructor("${script(id)}")()}} \${alert(1)} #{7*7} <%= 7*7 %>`,
  (id) => `%3Cscript%3E${script(id)}%3C%2Fscript%3E &lt;script&gt; &#60;script&#62; \\u003cscript\\u003e`,
  (id) => `<a href="javascript:${script(id)}" style="position:fixed;inset:0">x</a>`,
  () => "__proto__",
  () => "constructor",
  () => "null undefined NaN [object Object] 0 -1 1e309 662E41",
  () => '=HYPERLINK("https://formula.test/","x") +1 -1 @SUM(1)',
  () => "x".repeat(900),
  () => "\u202Etxt.evil\u202C \u2066\u2067\u2068 right to left \u200F\u061C",
  () => `z${"\u0336\u0335\u0334\u0321\u0322".repeat(150)}algo`,
  () => "\u200B\u200C\u200D\uFEFF\u2060",
  () => "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}".repeat(40),
  () => `${"\u00A0".repeat(400)}end`,
  () => `${"W".repeat(64)}-${"\uFDFD".repeat(60)}`,
  () => "line one\nline two\r\nline three\u2028line four\ttab\u0007bell\u001b[31mred",
];

/** One after the other; every kind appears before any repeats. */
export function hostileTexts(count: number): string[] {
  return Array.from({ length: count }, (_, number) =>
    (attacks[number % attacks.length] as (id: string) => string)(`t${number}`),
  );
}

export const textKinds = attacks.length;
