import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../platform/package-root.ts';
import { ownFiles, placeAt } from './own-files.ts';

/** Modules that this package offers, with what stands in the place of a star. */
const OFFERED = Object.keys(
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }).exports,
);
/** The doors of a checkout, by path. */
const DOORS = /^(dist\/)?core\/(plugin|services)\.[jt]s$/;
const INSIDE = /(?:^|\/)agent-mesh\/(?:dist|core|adapters|plugins)\//;

/**
 * Imports that reach past what this package offers, each as a sentence with its place: nothing promises that those
 * modules stay. Nothing keeps a plugin from them while it runs; it is code of the same process.
 */
export function insideImports(entry: string): string[] {
  return ownFiles(entry).flatMap((file) =>
    file.imports
      .filter(({ names }) => isInside(names, file.path))
      .map(({ names, at }) => {
        const hint = 'import agent-mesh/plugin, agent-mesh/services or agent-mesh/testing instead';
        return `it imports ${names}, core's own, at ${placeAt(file, at)}; ${hint}`;
      }),
  );
}

function isInside(names: string, importer: string): boolean {
  const [, module] = /^agent-mesh(\/.*)?$/.exec(names) ?? [];
  if (module !== undefined) return !OFFERED.some((one) => fits(`.${module}`, one));
  if (!/^(\.{1,2}\/|\/|file:)/.test(names)) return false;
  const path = names.startsWith('file:') ? fileURLToPath(names) : resolve(dirname(importer), names);
  const within = relative(packageRoot, path).split(sep).join('/');
  if (DOORS.test(within)) return false;
  return /^(dist|core|adapters|plugins)\//.test(within) || INSIDE.test(path.split(sep).join('/'));
}

function fits(module: string, offered: string): boolean {
  return offered.endsWith('*') ? module.startsWith(offered.slice(0, -1)) : module === offered;
}
