import { relative } from 'node:path';
import { BootError, type BootOptions, bootNode, describeReport, type RunningNode } from '../../host/boot/boot-node.ts';
import { describeProblem, messageOf, type Problem } from '../../platform/problem.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { Composition, NodeFlags, Terminal } from '../command.ts';
import { checkConfigured, sourceOf } from '../configured.ts';
import { FileChanges } from './changes.ts';
import { readingOf } from './fresh-imports.ts';
import { watchedFiles } from './watched-files.ts';

/** Milliseconds that calls in flight get when the node makes room for its successor. */
const GRACE = 1_000;

/**
 * Runs a node until it is asked to stop, and starts it again with every change of plugins.json or of a plugin from a path. A
 * change is checked first; one that is wrong, or does not start, is told, and the node runs on as it was. Gives what went
 * wrong at the end.
 */
export async function startWatched(
  flags: NodeFlags,
  composition: Composition,
  terminal: Terminal,
): Promise<readonly Problem[]> {
  const changes = new FileChanges(systemClock);
  const stop = new AbortController();
  const boot = (options: Pick<BootOptions, 'config' | 'builtins'>) =>
    bootNode({ ...composition, ...options, grace: GRACE });

  let { configuration } = await checkConfigured(flags, composition, terminal);
  let { builtins } = composition;
  let node: RunningNode = await boot({ config: sourceOf(flags, terminal), builtins });
  changes.watch(watchedFiles(configuration));
  terminal.error(describeReport(node.report));
  terminal.error('--watch: the node starts again when plugins.json or a plugin from a path changes');

  async function takeOver(changed: readonly string[], reading: number): Promise<void> {
    const names = changed.map((path) => relative('.', path)).join(', ');
    const fresh = { ...composition.builtins, importFile: readingOf(reading) };
    const checked = await checkConfigured(flags, { ...composition, builtins: fresh }, terminal);
    // A broken plugins.json names no plugins: those that run are still watched.
    changes.watch([...watchedFiles(configuration), ...watchedFiles(checked.configuration)]);
    if (checked.problems.length > 0) {
      terminal.error(`${names} changed and is not taken over, the node runs on as it was: ${told(checked.problems)}`);
      return;
    }
    await node.stop();
    try {
      node = await boot({ config: sourceOf(flags, terminal), builtins: fresh });
      ({ configuration } = checked);
      builtins = fresh;
      terminal.error(`${names} changed, the node runs with it at ${node.url}`);
    } catch (error) {
      const { given: value, folder } = configuration;
      const config = { ...sourceOf(flags, terminal), value, folder };
      node = await boot({ config, builtins });
      const why = error instanceof BootError ? told(error.problems) : messageOf(error);
      terminal.error(`${names} changed and does not start, the node runs on as it was: ${why}`);
    }
  }

  const ended = terminal.untilStopped(() => void node.reload()).then(() => stop.abort());
  for (let reading = 1; ; reading++) {
    const changed = await changes.next(stop.signal);
    if (changed.length === 0) break;
    await takeOver(changed, reading);
  }
  await ended;
  return node.stop();
}

function told(problems: readonly Problem[]): string {
  return problems.map(describeProblem).join('; ').replaceAll('\n', ' ');
}
