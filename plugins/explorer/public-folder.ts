import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FOLDER = 'plugins/explorer/public';

/** The pages lie beside the sources and are not bundled, so the build finds them from the root of the package. */
export function publicFolder(): URL {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = join(folder, FOLDER);
    if (existsSync(found)) return pathToFileURL(`${found}/`);
    if (folder === dirname(folder)) throw new Error(`agent-mesh: ${FOLDER} is not in the package; reinstall it`);
  }
}
