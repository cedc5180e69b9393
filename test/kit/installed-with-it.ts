import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';

/** An entry of package-lock.json, which npm marks by who needs it. */
export interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly engines?: { readonly node?: string };
}

/** The packages of the lock that npm installs with this one, by their paths below the package; without the optional ones if asked. */
export function lockedWithIt({ optional }: { readonly optional: boolean }): [string, Locked][] {
  const lock = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8'));
  return Object.entries(lock.packages as Record<string, Locked>).filter(
    ([path, one]) => path !== '' && !one.dev && (optional || !(one.optional || one.devOptional)),
  );
}

/** Their names in the first level of node_modules, as far as this machine has them. */
export function installedWithIt(): string[] {
  return lockedWithIt({ optional: true })
    .map(([path]) => path.slice('node_modules/'.length))
    .filter((name) => !name.includes('node_modules/') && existsSync(join(packageRoot, 'node_modules', name)));
}
