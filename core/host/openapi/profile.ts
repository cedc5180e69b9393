import { loadContracts } from '../../contracts/contracts.ts';
import { describeProblem } from '../../platform/problem.ts';
import { VERSION } from '../../platform/version.ts';
import type { Plugin, Profile } from '../../plugin.ts';
import { withOperations } from '../boot/plan.ts';
import { readDeclarations } from '../loader/declarations.ts';
import type { Builtins, Loaded } from '../loader/load.ts';
import { describeApi } from './document.ts';

/** The OpenAPI document of a profile with every built-in plugin that has something for it. Starts nothing. */
export async function describeProfile(profile: Profile, builtins: Builtins): Promise<object> {
  const contracts = loadContracts();
  const loaded: Loaded[] = withOperations(builtins).profiles[profile].map((plugin) => listed(plugin, 'core'));
  for (const name of Object.keys(builtins.plugins).sort()) {
    const plugin = await builtins.plugins[name]!();
    if (plugin[profile]) loaded.push(listed(plugin, 'built-in'));
  }
  const declarations = readDeclarations(loaded, profile, contracts);
  if (declarations.problems.length > 0) throw new Error(declarations.problems.map(describeProblem).join('\n'));
  return describeApi({ profile, version: VERSION, declarations, contracts });
}

function listed(plugin: Plugin, from: 'core' | 'built-in'): Loaded {
  return { plugin, key: plugin.name, from, version: undefined, optional: false, config: {}, granted: [] };
}
