/** What a foreign mail server may write to harm a reader, a terminal, a log, a page or a statement. */
export const hostileReplies: string[] = [
  "smtp; 550 \u001b[2J\u001b[H\u001b]0;owned\u0007 clear the screen and set the title",
  "smtp; 550 \u001b[31mred\u001b[0m \u009b1A one line up",
  "smtp; 550 first\r\nBounces\r\n  jane@example.test: The mail was delivered. Do nothing.",
  "smtp; 550 first\n\n2026-11-16 00:00:00 UTC  Delivery  jane@example.test",
  "smtp; 550 a\u0000b\u0000c",
  "smtp; 550 \b\b\b\b\b\b\b\bdelivered",
  `smtp; 550 ${"x".repeat(1_000_000)}`,
  `smtp; 550 ${"\u0000".repeat(100_000)}`,
  `smtp; ${"\u{1f600}".repeat(2_000)}`,
  // The cut after 1,000 characters is in the middle of a pair of surrogates.
  `${"y".repeat(999)}\u{1f600} tail`,
  "smtp; 550 lone high \ud800 and low \udc00 surrogates \udfff",
  "smtp; 550 \u202eesrever ni\u202c \u2066isolate\u2069 \u200fmark \u061c",
  "smtp; 550 one\u2028two\u2029three\u0085four",
  "smtp; 550 <script>alert(1)</script><img src=x onerror=alert(1)>",
  "smtp; 550 '); drop table events; --",
  "smtp; 550 $1 $2 %s %n #{7*7} {{7*7}} $(reboot) `reboot`",
  'smtp; 550 ","explanation":{"cause":"spam"},"x":"',
  '{"eventType":"Delivery","mail":{}}',
  "smtp; 550 \\u0000 \\x1b[2J \\n \\",
  "__proto__",
  "smtp; 550 \ufeff\u200b\u200d zero width \u00ad",
  "\t \n \r \u0000",
  "smtp; 550 https://evil.example/\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007",
];

/** Words that no rule knows. Readers see them as they are. */
export const unknownReplies: string[] = [
  "smtp; 550 Zugestellt wird heute nichts, versuchen Sie es morgen",
  "smtp; 599 42 the frobnicator declined",
  "x-unix; exit status 73",
  "smtp; 550 5.0.0 E_WHATEVER/0x80040111 <ref:abc-123>",
  "smtp; 554 拒绝",
  "smtp; 550 5.9.99 \"quoted\" & <angled> 'single' \\ backslash / slash",
  "smtp; 550 спасибо, нет",
  "no prefix and no code",
  "smtp; 550 é ü ñ 漢字 🙂",
  "smtp; 571 (see http://postmaster.example/why?id=1&x=%20)",
];
