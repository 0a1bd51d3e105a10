/** A terminal window with a command and its output. Its dark colours are legible on light and dark pages. */
export function terminalPage(command: string, output: string): string {
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: transparent }
main { width: max-content; border-radius: 10px; overflow: hidden; background: #1b2027; color: #d9dee5;
  font: 13px/1.55 "DejaVu Sans Mono", ui-monospace, monospace }
header { display: flex; gap: 7px; padding: 11px 14px; background: #2a313a }
header i { width: 11px; height: 11px; border-radius: 50%; background: #56606c }
pre { margin: 0; padding: 16px 20px 20px; font: inherit }
b { color: #7fd1a5; font-weight: 600 }
.dim { color: #8b95a1 }
</style><main><header><i></i><i></i><i></i></header><pre><span class="dim">$</span> <b>${escaped(command)}</b>\n${escaped(output.trimEnd())}</pre></main>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
