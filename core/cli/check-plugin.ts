import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError } from '../host/boot/report.ts';
import { importDefault } from '../host/loader/import-default.ts';
import { insideImports } from '../host/loader/inside-imports.ts';
import { type Location, locate, locateInPackage } from '../host/loader/locate.ts';
import type { Parts } from '../host/wiring/composition.ts';
import type { Clock } from '../platform/clock.ts';
import { messageOf, type Problem, whatHelps } from '../platform/problem.ts';
import { systemClock } from '../platform/system-clock.ts';
import type { Plugin } from '../plugin.ts';
import { type PluginCheck, pluginChecks } from '../testing/plugin-contract.ts';
import { type Outcome, writeBadge } from './badge.ts';
import { check } from './check.ts';
import { packageCheck } from './check-package.ts';
import { type Command, command, type ExitCode, Failure, type Terminal, UsageError } from './command.ts';

/** `mesh check`: of plugins.json, or, when it is given a folder, file or package, of one plugin. */
export function checkCommand(parts: Parts, clock: Clock = systemClock): Command {
  return command({
    summary: 'Checks plugins.json and all it names; or one plugin against the plugin contract.',
    words: [{ name: 'PLUGIN', summary: 'a folder, a file or a package with one plugin', optional: true }],
    options: {
      settings: {
        takes: 'FILE',
        summary: "the plugin's object of plugins.json",
        default: 'an example made from its schema',
      },
      badge: { takes: 'FILE', summary: 'writes the results as a JSON file; docs/plugin-guide.md has its shape' },
    },
    flags: 'all',
    examples: ['check', 'check ./my-plugin', 'check ./my-plugin --settings settings.json --badge badge.json'],
    run(call, composition, terminal) {
      const [target] = call.words;
      const { settings, badge } = call.options;
      if (target === undefined) {
        if (settings !== undefined) throw new UsageError('--settings needs a PLUGIN to check');
        if (badge !== undefined) throw new UsageError('--badge needs a PLUGIN to check');
        return check.run(call, composition, terminal);
      }
      const [other = call.flags.file && '--config'] = call.flags.argv;
      if (other !== undefined) throw new UsageError(`a plugin is checked without ${other.split('=')[0]}`);
      const { json, verbose } = call.options;
      return checkPlugin({ target, settings, badge, json, verbose }, parts, clock, terminal);
    },
  });
}

interface Wanted {
  readonly target: string;
  /** A file with the plugin's object of plugins.json; an example is made from its schema when absent. */
  readonly settings: string | undefined;
  readonly badge: string | undefined;
  readonly json: boolean;
  readonly verbose: boolean;
}

async function checkPlugin(
  { target, settings, badge, json, verbose }: Wanted,
  parts: Parts,
  clock: Clock,
  terminal: Terminal,
): Promise<ExitCode> {
  let found: Located;
  let options: { config?: object };
  try {
    found = await pluginAt(target, parts);
    options = settings === undefined ? {} : { config: JSON.parse(readFileSync(settings, 'utf8')) as object };
  } catch (error) {
    throw new Failure(`${target}: ${messageOf(error)}`, { checks: [] }, error);
  }
  const name = String(found.plugin?.name ?? target);
  const outcomes: Outcome[] = [];
  const told = new Set<string>();
  const release = found.home && found.url ? [packageCheck(found.home, found.url, found.plugin)] : [];
  const clauses = [...pluginChecks(parts, found.plugin, options), ...importCheck(found.url), ...release];
  for (const clause of clauses) {
    const outcome = await outcomeOf(clause, verbose);
    outcomes.push(outcome);
    if (!json) say(outcome, told, terminal);
  }
  const permissions = found.plugin?.permissions ?? [];
  const facts = { plugin: name, ...found.facts, permissions, checks: outcomes };
  if (badge !== undefined) writeBadge(badge, { name, version: found.facts.version, permissions, outcomes }, clock);
  if (!json && permissions.length > 0) terminal.out(`asks for: ${permissions.join(', ')}`);
  if (!outcomes.every((outcome) => outcome.ok)) throw new Failure(`${name} breaks the plugin contract.`, facts);
  terminal.out(json ? JSON.stringify({ ok: true, ...facts }) : `${name} keeps the plugin contract.`);
  return 0;
}

/** The clause on the imports in the plugin's own files; a built-in plugin has no files of its own. */
function importCheck(url: string | undefined): PluginCheck[] {
  if (url === undefined) return [];
  return [{ name: 'imports what agent-mesh offers', run: async () => ({ problems: insideImports(url) }) }];
}

/** `verbose` adds where it was thrown. */
async function outcomeOf({ name, run }: PluginCheck, verbose: boolean): Promise<Outcome> {
  try {
    const { problems, notes = [] } = await run();
    return { name, ok: problems.length === 0, problems, notes };
  } catch (error) {
    const found: readonly Pick<Problem, 'what' | 'hint' | 'stack'>[] =
      error instanceof BootError
        ? error.problems
        : [{ what: messageOf(error), ...(error instanceof Error && error.stack && { stack: error.stack }) }];
    const problems = found.flatMap((one) => (verbose && one.stack ? [whatHelps(one), one.stack] : [whatHelps(one)]));
    return { name, ok: false, problems, notes: [] };
  }
}

/** A fault that keeps a plugin from starting breaks nearly every clause; `told` holds the faults printed before. */
function say({ name, ok, problems, notes }: Outcome, told: Set<string>, terminal: Terminal): void {
  terminal.out(`${ok ? 'ok   ' : 'wrong'}  ${name}`);
  const fresh = problems.filter((problem) => !told.has(problem));
  for (const problem of fresh) terminal.out(`       ${problem}`);
  if (fresh.length < problems.length) terminal.out('       as above');
  for (const problem of fresh) told.add(problem);
  for (const note of notes) terminal.out(`       (${note})`);
}

interface Located {
  readonly plugin: Plugin;
  readonly url?: string;
  /** The folder of a package that is made here, and not one that was installed. */
  readonly home?: string;
  readonly facts: { readonly version?: string };
}

async function pluginAt(target: string, parts: Parts): Promise<Located> {
  const builtIn = Object.hasOwn(parts.plugins, target) && !existsSync(resolve(target));
  if (builtIn) return { plugin: await parts.plugins[target]!(), facts: {} };
  const location = locationOf(target);
  if (location.from === 'built-in') throw new Error('this is no plugin');
  const plugin = (await importDefault(location.url)) as Plugin;
  if (location.from === 'file') return { plugin, url: location.url, facts: {} };
  if (plugin?.api !== location.api) {
    throw new Error(`its package.json says plugin API ${location.api}, its code ${plugin?.api}`);
  }
  const home = existsSync(join(resolve(target), 'package.json')) ? resolve(target) : undefined;
  return { plugin, url: location.url, ...(home && { home }), facts: { version: location.version } };
}

function locationOf(target: string): Location {
  const path = resolve(target);
  if (existsSync(join(path, 'package.json'))) return locateInPackage(path, 'plugin');
  if (existsSync(path) && statSync(path).isFile()) return { from: 'file', url: pathToFileURL(path).href };
  if (existsSync(path)) throw new Error('there is no package.json in this folder');
  return locate(target, resolve('.'), []);
}
