import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';
import { factsOf, type Invocation, type ProcessFacts } from './process-facts.ts';

export type Stopped = 'gracefully' | 'forced' | 'was_gone';
type Mark = Pick<ProcessFacts, 'pid' | 'started'>;

/** Milliseconds between two looks, until a killed process must be gone, and in which a new one may fail at once. */
const LOOK = 50;
const KILL_MS = 5_000;
const SETTLE_MS = 300;

/** Whether this very process runs, and not a later one with its pid. */
export async function isStill({ pid, started }: Mark): Promise<boolean> {
  return (await factsOf(pid))?.started === started;
}

/**
 * Asks a process to end, and kills it after the grace. Before each signal the process is looked at again: one that has
 * taken over the pid is never signalled. Undefined when it does not end.
 */
export async function stopProcess(mark: Mark, graceMs: number, clock: Clock): Promise<Stopped | undefined> {
  if (!(await isStill(mark))) return 'was_gone';
  if (await signalled(mark, 'SIGTERM', graceMs, clock)) return 'gracefully';
  if (!(await isStill(mark))) return 'gracefully';
  return (await signalled(mark, 'SIGKILL', KILL_MS, clock)) ? 'forced' : undefined;
}

async function signalled(mark: Mark, signal: NodeJS.Signals, ms: number, clock: Clock): Promise<boolean> {
  try {
    process.kill(mark.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  for (let waited = 0; await isStill(mark); waited += LOOK) {
    if (waited >= ms) return false;
    await pause(clock, LOOK);
  }
  return true;
}

export type Begun =
  | { readonly facts: ProcessFacts }
  /** It began and ended at once. */
  | { readonly code: number | null; readonly signal: string | null };

/** Starts a process that outlives this one, in a session of its own. Rejects when it cannot be started. */
export async function beginProcess(executable: string, invocation: Invocation, clock: Clock): Promise<Begun> {
  const { argv, cwd, env, outputs } = invocation;
  const files = await Promise.all(outputs.map((path) => (path === null ? undefined : appending(path))));
  try {
    const stdio = ['ignore' as const, ...files.map((file) => file?.fd ?? ('ignore' as const))];
    const child = spawn(executable, argv.slice(1), { argv0: argv[0]!, cwd, env, detached: true, stdio });
    let ended: { code: number | null; signal: string | null } | undefined;
    child.once('exit', (code, signal) => {
      ended = { code, signal };
    });
    await new Promise<void>((begun, failed) => child.once('spawn', begun).once('error', failed));
    child.on('error', () => {});
    child.unref();
    await pause(clock, SETTLE_MS);
    const facts = await factsOf(child.pid!);
    return !ended && facts ? { facts } : (ended ?? { code: null, signal: null });
  } finally {
    await Promise.all(files.map((file) => file?.close()));
  }
}

/** A file that is gone or not ours any more must not keep the agent from running. */
function appending(path: string): Promise<FileHandle | undefined> {
  return open(path, 'a', 0o600).catch(() => undefined);
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
