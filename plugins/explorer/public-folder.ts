import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The pages as a build puts them together, beside the program, and as they are written in sources. */
const BUILT = 'pages/page.html';
const WRITTEN = 'plugins/explorer/public/page.html';
const GUIDES = 'docs/explorer.md';
const PROGRAMS = 'dist/browser';

/** The pages: those of its own build for a built program, and the sources for sources, so that neither meets those of another time. */
export function publicFolder(): URL {
  const page = above(BUILT, WRITTEN);
  return pathToFileURL(`${dirname(page)}/`);
}

/** The guides that the package brings. */
export function guidesFolder(): URL {
  return pathToFileURL(`${dirname(above(GUIDES))}/`);
}

/** Programs for browsers that the build has made; undefined in sources that were not built. */
export function programsFolder(): URL | undefined {
  const folder = join(dirname(dirname(above(GUIDES))), PROGRAMS);
  return existsSync(folder) ? pathToFileURL(`${folder}/`) : undefined;
}

/** The first of these that is there, looking upwards from here. */
function above(...paths: readonly string[]): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = paths.map((path) => join(folder, path)).find((path) => existsSync(path));
    if (found) return found;
    if (folder === dirname(folder))
      throw new Error(`agent-mesh: ${paths.join(' or ')} is not in the package; reinstall it`);
  }
}
