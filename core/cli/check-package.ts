import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownFiles } from '../host/loader/own-files.ts';
import { messageOf } from '../platform/problem.ts';
import type { Endpoints, Plugin } from '../plugin.ts';
import type { PluginCheck } from '../testing/plugin-contract.ts';

/** Milliseconds for npm to list a package. */
const TIMEOUT = 60_000;
const MOST_LISTED = 32 * 1024 * 1024;
/** Missing files that are named; of more their number is told. */
const MOST_NAMED = 5;

/** The clause on a release of a plugin: the package that npm makes of its folder holds its code and the pages that it serves. */
export function packageCheck(home: string, entry: string, plugin: Plugin): PluginCheck {
  return {
    name: 'is whole in the package that npm pack makes of it',
    async run() {
      const needed = [...ownFiles(entry).map(({ path }) => path), ...servedFolders(plugin).flatMap(filesBelow)];
      const inside = [...new Set(needed.map((path) => relative(home, path).split(sep).join('/')))].filter(
        (path) => !path.startsWith('../'),
      );
      let packed: Set<string>;
      try {
        packed = await packedFiles(home);
      } catch (error) {
        return { problems: [], notes: [`not looked at, because npm pack lists nothing here: ${messageOf(error)}`] };
      }
      const missing = inside.filter((path) => !packed.has(path)).sort();
      if (missing.length === 0) return { problems: [] };
      const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
      const named = `${missing.slice(0, MOST_NAMED).join(', ')}${more}`;
      return {
        problems: [`npm pack leaves out ${named}; list them, or their folder, under files in its package.json`],
      };
    },
  };
}

/** The paths that a release would hold, as npm itself says; no script of the package is run. */
async function packedFiles(home: string): Promise<Set<string>> {
  const options = { cwd: home, timeout: TIMEOUT, maxBuffer: MOST_LISTED };
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options);
  const [{ files }] = JSON.parse(stdout) as [{ files: readonly { readonly path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

function servedFolders(plugin: Plugin): string[] {
  const faces = [plugin.node, plugin.aggregator].flatMap((face) => (face ? [face] : []));
  const endpoints = faces.flatMap(({ routes = {} }) => Object.values(routes as Endpoints));
  return endpoints.flatMap((endpoint) => (endpoint.kind === 'files' ? [fileURLToPath(endpoint.spec.folder)] : []));
}

/** The files that are served: no hidden ones. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    if (one.name.startsWith('.')) return [];
    const path = join(folder, one.name);
    return one.isDirectory() ? filesBelow(path) : one.isFile() ? [path] : [];
  });
}
