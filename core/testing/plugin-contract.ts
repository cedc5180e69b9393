import type { Parts } from '../host/wiring/composition.ts';
import type { Plugin, Profile } from '../plugin.ts';
import { configurationHolds, declarationHolds, shapeFaults } from './declaration-checks.ts';
import { answersAsDeclared, refusesStrangers } from './endpoint-checks.ts';
import { startsAndStops, waitsForReady } from './life-checks.ts';
import { type Findings, PluginTrial, type PluginTrialOptions } from './plugin-trial.ts';
import type { TestRunner } from './runner.ts';

/** One clause of the contract, in words, and the way to find out whether the plugin keeps it. */
export interface PluginCheck {
  readonly name: string;
  /** Rejects when the plugin cannot even be started. */
  run(): Promise<Findings>;
}

const CLAUSES: readonly (readonly [name: string, check: (trial: PluginTrial) => Promise<Findings>])[] = [
  ['declares what a node can load', declarationHolds],
  ['refuses the configurations its schema refuses', configurationHolds],
  ['starts, stops and starts again, and leaves nothing open', startsAndStops],
  ['connects to nobody before it is ready', waitsForReady],
  ['answers 401 without credentials, except where it is open', refusesStrangers],
  ['answers and streams what it declares', answersAsDeclared],
];

/** The duties of every plugin to the node it runs in, once per face. */
export function pluginChecks(parts: Parts, plugin: Plugin, options: PluginTrialOptions = {}): PluginCheck[] {
  const shape: PluginCheck = {
    name: 'is a plugin',
    run: async () => ({ problems: shapeFaults(plugin) }),
  };
  if (shapeFaults(plugin).length > 0) return [shape];
  const profiles = (['node', 'aggregator'] as const).filter((profile: Profile) => plugin[profile]);
  return [
    shape,
    ...profiles.flatMap((profile) => {
      let trial: PluginTrial | undefined;
      return CLAUSES.map(([name, check]) => ({
        name: profiles.length > 1 ? `${name} (${profile})` : name,
        run: async () => {
          trial ??= new PluginTrial(parts, plugin, profile, options);
          return check(trial);
        },
      }));
    }),
  ];
}

/** The checks as tests of a runner; notes are not shown. */
export function describePlugin(
  parts: Parts,
  plugin: Plugin,
  options: PluginTrialOptions,
  { describe, it }: Pick<TestRunner, 'describe' | 'it'>,
): void {
  describe(`plugin contract: ${plugin?.name}`, () => {
    for (const { name, run } of pluginChecks(parts, plugin, options)) {
      it(name, async () => {
        const { problems } = await run();
        if (problems.length > 0) throw new Error(problems.join('\n'));
      });
    }
  });
}
