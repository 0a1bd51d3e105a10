import type { Plugin, Rolldown } from "vite";

const firstScreen = ["src/app.tsx"];

/** Lets the browser load the scripts and styles of the first screen together with the page, not after its first script. */
export function preloadFirstScreen(): Plugin {
  return {
    name: "preload-first-screen",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = withImports(bundle, firstScreen);
        const styles = chunks.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]);
        return [
          ...chunks.map(({ fileName }) => link({ rel: "modulepreload", crossorigin: true, href: `/${fileName}` })),
          ...new Set(styles).values().map((name) => link({ rel: "stylesheet", crossorigin: true, href: `/${name}` })),
        ];
      },
    },
  };
}

function link(attrs: Record<string, string | boolean>) {
  return { tag: "link", attrs, injectTo: "head" as const };
}

/** The chunks of these sources and everything they import. Fails the build when a source has no chunk of its own. */
function withImports(bundle: Rolldown.OutputBundle, sources: readonly string[]): Rolldown.OutputChunk[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const found = new Set<Rolldown.OutputChunk>();
  const add = (chunk: Rolldown.OutputChunk) => {
    if (found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name) ?? chunk);
  };
  for (const source of sources) {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/console/${source}`));
    if (chunk === undefined) throw new Error(`${source} has no chunk of its own; index.html cannot preload it`);
    add(chunk);
  }
  return [...found].filter((chunk) => !chunk.isEntry);
}
