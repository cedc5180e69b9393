import { didYouMean } from '../../platform/nearest-name.ts';
import {
  actOf,
  holds,
  isPermission,
  KINDS_OF_PERMISSION,
  PERMISSIONS,
  type Permission,
} from '../../platform/permissions.ts';
import type { Problem } from '../../platform/problem.ts';
import { needsOf, type Optional, type Token, tokenOf } from '../../platform/token.ts';
import * as offered from '../../services.ts';
import type { Loaded } from './load.ts';

const OFFERED: ReadonlySet<symbol> = new Set(Object.values(offered).map(({ key }) => key));

/** The faults of a plugin's permissions, of the services it uses and provides, and of the operator's grants. */
export function permissionProblems(
  one: Loaded,
  uses: readonly (Token<any> | Optional<any>)[],
  provides: readonly Token<any>[],
): Problem[] {
  const own = declarationProblems(one, uses);
  return isBuiltIn(one) ? own : [...own, ...grantProblems(one), ...provisionProblems(one, provides)];
}

/** The permissions of a plugin: those that it declares and the operator granted. */
export function heldBy(one: Loaded): ReadonlySet<string> {
  const declared = [...(one.plugin.permissions ?? [])];
  const granted = new Set(one.granted);
  return new Set(isBuiltIn(one) ? declared : declared.filter((permission) => holds(granted, permission)));
}

/**
 * The permissions that the operator granted word for word: `http:*` names no host. A built-in plugin that may call any host has those
 * that it declares, and calls private addresses of the hosts that the operator granted it by name.
 */
export function grantedByName(one: Loaded): ReadonlySet<string> {
  const { permissions: declared = [] } = one.plugin;
  if (!isBuiltIn(one)) return new Set(declared.filter((permission) => one.granted.includes(permission)));
  const held = new Set<string>(declared);
  return new Set([...declared, ...one.granted.filter((permission) => holds(held, permission))]);
}

/** A built-in plugin holds the permissions that it declares. */
function isBuiltIn({ from }: Loaded): boolean {
  return from === 'core' || from === 'built-in';
}

function declarationProblems({ plugin }: Loaded, uses: readonly (Token<any> | Optional<any>)[]): Problem[] {
  const { name: where, permissions: declared = [] } = plugin;
  const unknown = declared
    .filter((permission) => !isPermission(permission))
    .map((permission) => unknownOne(where, permission));
  const held = new Set<string>(declared);
  const missing = uses.map(tokenOf).flatMap((token) => {
    const needed = needsOf(token);
    if (needed.length === 0 || needed.some((permission) => holds(held, permission))) return [];
    const [first] = needed;
    const line = `permissions: ['${spelled(first!)}']`;
    const any = needed.map(spelled).join(' or ');
    return [{ where, what: `uses ${token.name} without the permission ${any}`, hint: `its author adds ${line}` }];
  });
  return [...unknown, ...missing];
}

/** `http:` is the beginning of many. */
function spelled(permission: string): string {
  if (permission === 'http:') return 'http:<host>';
  return permission === 'money:sign:' ? 'money:sign:<program>' : permission;
}

/** Where core offers no such service, whoever asks for it goes without rather than get it from a stranger. */
function provisionProblems({ plugin }: Loaded, provides: readonly Token<any>[]): Problem[] {
  return provides
    .filter((token) => OFFERED.has(token.key) || needsOf(token).length > 0)
    .map(({ name }) => ({
      where: plugin.name,
      what: `provides ${name}, which is core's to provide`,
      hint: "its author makes a token of another name, such as token('acme/weather')",
    }));
}

function grantProblems({ plugin, key, granted }: Loaded): Problem[] {
  const { name: where, permissions: declared = [] } = plugin;
  const held = new Set(granted);
  const unknown = granted
    .filter((permission) => !isPermission(permission))
    .map((permission) => unknownOne(where, permission));
  const missing = declared.filter((permission) => isPermission(permission) && !holds(held, permission));
  if (missing.length === 0) return unknown;
  const line = JSON.stringify([...new Set([...granted, ...missing])]);
  const what = `asks for ${missing.map(described).join('; ')}`;
  const hint = `if it shall, write "$grant": ${line} into "${key}" in plugins.json`;
  return [...unknown, { where, what, hint }];
}

function unknownOne(where: string, permission: string): Problem {
  const known = Object.keys(PERMISSIONS);
  const all = [...known, ...KINDS_OF_PERMISSION];
  const hint = `there are ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
  return { where, what: `there is no permission ${permission}${didYouMean(permission, known)}`, hint };
}

/** `messages:send (sends messages signed by this agent)`. */
function described(permission: Permission): string {
  return `${permission} (${actOf(permission)})`;
}
