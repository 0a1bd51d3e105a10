import { readdirSync } from "node:fs";

/** A document that `npm run docs` writes. Each `*-page.ts` in this folder exports one as `page`. */
export interface GeneratedPage {
  /** From the root of the repository. */
  path: string;
  render(): string | Promise<string>;
}

export const root = new URL("../../", import.meta.url);

export async function loadPages(): Promise<GeneratedPage[]> {
  const folder = new URL("./", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith("-page.ts"));
  const modules = names
    .toSorted()
    .map(async (name): Promise<{ page: GeneratedPage }> => import(new URL(name, folder).href));
  return (await Promise.all(modules)).map(({ page }) => page);
}
