import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PAGES = 'plugins/explorer/public';
const PROGRAMS = 'dist/browser';

/** The pages lie beside the sources and are not bundled, so the build finds them from the root of the package. */
export function publicFolder(): URL {
  return pathToFileURL(`${join(root(), PAGES)}/`);
}

/** The guides that the package brings. */
export function guidesFolder(): URL {
  return pathToFileURL(`${join(root(), 'docs')}/`);
}

/** Programs for browsers that the build has made; undefined in sources that were not built. */
export function programsFolder(): URL | undefined {
  const folder = join(root(), PROGRAMS);
  return existsSync(folder) ? pathToFileURL(`${folder}/`) : undefined;
}

function root(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, PAGES))) return folder;
    if (folder === dirname(folder)) throw new Error(`agent-mesh: ${PAGES} is not in the package; reinstall it`);
  }
}
