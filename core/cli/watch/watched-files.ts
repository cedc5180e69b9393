import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Configuration } from '../../host/config/configuration.ts';
import { locate } from '../../host/loader/locate.ts';
import { importedPaths, ownFiles } from '../../host/loader/own-files.ts';

/** plugins.json and the files of the plugins that it names by a path, those that are missing too; nothing of packages. */
export function watchedFiles({ file, folder, settings }: Configuration): Set<string> {
  const keys = Object.keys(settings.plugins ?? {}).filter((key) => /^\.{1,2}\//.test(key) || isAbsolute(key));
  return new Set([...(file === undefined ? [] : [file]), ...keys.flatMap((key) => filesOf(key, folder))]);
}

function filesOf(key: string, folder: string): string[] {
  const path = resolve(folder, key);
  const entry = entryOf(key, folder);
  if (entry === undefined) return [path, join(path, 'package.json')];
  const own = ownFiles(entry);
  const manifest = entry === path ? [] : [join(path, 'package.json')];
  return [entry, ...manifest, ...own.map((file) => file.path), ...own.flatMap(importedPaths)];
}

/** Undefined while the path leads to no plugin. */
function entryOf(key: string, folder: string): string | undefined {
  try {
    const location = locate(key, folder, []);
    return location.from === 'built-in' ? undefined : fileURLToPath(location.url);
  } catch {
    return undefined;
  }
}
