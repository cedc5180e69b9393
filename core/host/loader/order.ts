import type { Problem } from '../../platform/problem.ts';
import { tokenOf } from '../../platform/token.ts';
import type { Optional, Token } from '../../plugin.ts';

/** Something that uses and provides services: a provider or a face. */
export interface Unit {
  readonly name: string;
  readonly uses: readonly (Token<any> | Optional<any>)[];
  readonly provides: readonly Token<any>[];
}

/**
 * Units so ordered that providers come before users; otherwise in the order given. Names what is missing, provided
 * twice, or circular with its path. `given` are services that are there already.
 */
export function inOrder<T extends Unit>(
  units: readonly T[],
  given: readonly Token<any>[],
): { ordered: T[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const providers = new Map<symbol, T | undefined>(given.map((token) => [token.key, undefined]));
  for (const unit of units) {
    for (const token of unit.provides) {
      if (providers.has(token.key)) {
        const other = providers.get(token.key)?.name ?? 'core';
        problems.push({ where: unit.name, what: `provides ${token.name}, which ${other} provides already` });
      } else providers.set(token.key, unit);
    }
  }
  const ordered: T[] = [];
  const state = new Map<T, 'open' | 'done'>();
  function visit(unit: T, path: readonly string[]): void {
    if (state.get(unit) === 'done') return;
    if (state.get(unit) === 'open') {
      const circle = [...path.slice(path.indexOf(unit.name)), unit.name].join(' -> ');
      problems.push({
        where: unit.name,
        what: `needs itself: ${circle}`,
        hint: 'make one of these uses optional at run time',
      });
      return;
    }
    state.set(unit, 'open');
    for (const used of unit.uses) {
      const token = tokenOf(used);
      const provider = providers.get(token.key);
      if (provider) visit(provider, [...path, unit.name]);
      else if (!providers.has(token.key) && !('optional' in used)) {
        const chain = path.length > 0 ? ` (needed by ${[...path].reverse().join(', for ')})` : '';
        problems.push({
          where: unit.name,
          what: `uses ${token.name}, which nobody provides${chain}`,
          hint: 'load the plugin that provides it in plugins.json, or remove this one',
        });
      }
    }
    state.set(unit, 'done');
    ordered.push(unit);
  }
  for (const unit of units) visit(unit, []);
  return { ordered, problems };
}
