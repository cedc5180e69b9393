import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nearestName } from '../../platform/nearest-name.ts';
import { PLUGIN_API } from '../../plugin.ts';
import { STORAGE_API } from '../../storage/adapter.ts';

export type Location =
  | { readonly from: 'built-in'; readonly name: string }
  | { readonly from: 'file'; readonly url: string }
  | { readonly from: 'package'; readonly url: string; readonly version: string; readonly api: string };

interface PackageManifest {
  readonly version?: string;
  readonly mesh?: { readonly plugin?: string; readonly storage?: string; readonly api?: string };
}

/** The plugin or adapter of a package: the member of `mesh` in its package.json that names the file. */
export type PackagePart = 'plugin' | 'storage';

/**
 * Where a key of `plugins`, or `storage.use`, leads: a bare word that is built in, a path beside plugins.json, otherwise an npm package in
 * the node_modules folders above plugins.json. A package's manifest is read before any of its code runs. Throws a
 * sentence when there is nothing, or the package asks for another version of the contract.
 */
export function locate(
  key: string,
  folder: string,
  builtIn: readonly string[],
  part: PackagePart = 'plugin',
): Location {
  if (/^\.{1,2}\//.test(key) || isAbsolute(key)) {
    const file = resolve(folder, key);
    if (!existsSync(file)) throw new Error(`there is no file ${file}`);
    if (statSync(file).isDirectory()) {
      if (existsSync(join(file, 'package.json'))) return locateInPackage(file, part);
      throw new Error(`${file} is a folder without a package.json; name the file in it that is meant`);
    }
    return { from: 'file', url: pathToFileURL(file).href };
  }
  if (builtIn.includes(key)) return { from: 'built-in', name: key };
  if (!/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(key)) throw new Error('this is no name of a package');

  const found = (createRequire(join(folder, 'plugins.json')).resolve.paths(key) ?? [])
    .map((path) => join(path, key))
    .find((path) => existsSync(join(path, 'package.json')));
  if (!found) {
    // Whoever misspelt ours shall not be sent to install a stranger's package of that name.
    const meant = nearestName(key, builtIn);
    if (meant !== undefined) throw new Error(`neither built in nor installed; did you mean ${meant}?`);
    throw new Error(`neither built in nor installed; run npm install ${key} in ${folder}`);
  }
  return locateInPackage(found, part);
}

/** The same for a package whose folder is known. */
export function locateInPackage(home: string, part: PackagePart): Location & { readonly from: 'package' } {
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as PackageManifest;
  const { [part]: file, api } = manifest.mesh ?? {};
  if (!file || !api) throw new Error(`its package.json has no "mesh": { "${part}": "<file>", "api": "<version>" }`);
  const mismatch = apiMismatch(api, part);
  if (mismatch) throw new Error(mismatch);
  return { from: 'package', url: pathToFileURL(join(home, file)).href, version: manifest.version ?? '0.0.0', api };
}

/** The way to the present contract, for authors. */
const MOVED = 'move it as docs/plugin-guide.md says under "From contract 1 to 2", or install a newer release of it';

/** Why a contract version cannot be served; undefined when it can: the same major, and no newer minor. */
export function apiMismatch(api: unknown, part: PackagePart = 'plugin'): string | undefined {
  const offered = part === 'plugin' ? PLUGIN_API : STORAGE_API;
  const wanted = /^(\d+)\.(\d+)$/.exec(String(api));
  if (!wanted) return `its ${part} API version ${JSON.stringify(api)} is not of the form "${offered}"`;
  const [major, minor] = offered.split('.').map(Number) as [number, number];
  if (Number(wanted[1]) === major && Number(wanted[2]) <= minor) return undefined;
  const remedy = Number(wanted[1]) < major ? MOVED : 'upgrade agent-mesh or install an older release of it';
  return `${part}_api_mismatch: it needs ${part} API ${api}, this node offers ${offered}; ${remedy}`;
}
