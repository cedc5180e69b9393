import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { urlOf } from '../platform/listen.ts';
import { packageRoot } from '../platform/package-root.ts';
import {
  isOfThisSpace,
  isRunning,
  type ProcessId,
  parseProcessId,
  processIdText,
  processOf,
} from '../platform/process-id.ts';
import { type Composition, type ExitCode, Failure, type NodeFlags, type Terminal } from './command.ts';
import { wholeConfigurationOfAll } from './configured.ts';

/** Milliseconds until it must serve, and between two looks. */
const PATIENCE = 120_000;
const LOOK = 100;
const MOST_TOLD = 2_000;

/** The node that was started in the background with this data folder; undefined when it does not run. */
export function backgroundProcess(dataDir: string): ProcessId | undefined {
  const mark = markIn(pidFileOf(dataDir));
  return mark && isOfThisSpace(mark) && isRunning(mark) ? mark : undefined;
}

export function forgetBackground(dataDir: string): void {
  rmSync(pidFileOf(dataDir), { force: true });
}

/** Starts `mesh start` with the same flags as a process of its own, and waits until it serves. */
export async function startInBackground(
  flags: NodeFlags,
  json: boolean,
  composition: Composition,
  terminal: Terminal,
): Promise<ExitCode> {
  const { settings, listen } = await wholeConfigurationOfAll(flags, composition, terminal);
  const { dataDir, log } = settings;
  const before = backgroundProcess(dataDir);
  if (before) throw new Failure(`it runs already as process ${before.pid}; mesh stop ends it`, { pid: before.pid });
  const url = urlOf(listen.host, listen.port);
  if (listen.port !== 0 && (await serves(url, listen.port)))
    throw new Failure(`something serves at ${url} already; stop it, or take another --api-addr`, { url });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // The log would grow without end in a file that nobody turns over.
  const logFile = log.file === undefined ? ['--log-file', join(dataDir, 'mesh.log')] : [];
  const file = flags.file === undefined ? [] : ['--config', flags.file];
  const said = join(dataDir, 'background.out');
  const out = openSync(said, 'w', 0o600);
  const child = spawn(
    process.execPath,
    [join(packageRoot, 'bin', 'mesh.js'), 'start', ...file, ...flags.argv, ...logFile],
    { detached: true, stdio: ['ignore', out, out], env: withoutNpm(terminal.env) },
  );
  closeSync(out);
  let ended: number | string | undefined;
  child.once('exit', (code, signal) => {
    ended = code ?? signal ?? 'unknown';
  });
  child.once('error', (error) => {
    ended = error.message;
  });
  child.unref();
  if (child.pid !== undefined) writeFileSync(pidFileOf(dataDir), processIdText(processOf(child.pid)), { mode: 0o600 });
  for (let waited = 0; ended === undefined && waited < PATIENCE; waited += LOOK) {
    if (await serves(url, listen.port)) {
      const { pid } = child;
      terminal.out(
        json ? JSON.stringify({ ok: true, pid, url, data_dir: dataDir }) : `process ${pid} serves at ${url}`,
      );
      return 0;
    }
    await pause(LOOK);
  }
  if (ended === undefined) throw new Failure(`it does not serve at ${url} yet; see ${said}, or end it with mesh stop`);
  forgetBackground(dataDir);
  throw new Failure(readFileSync(said, 'utf8').trim().slice(-MOST_TOLD) || `it ended with ${ended}`, { said });
}

/** Whether it is ready; with a port that the system chooses nobody knows where to ask. */
async function serves(url: string, port: number): Promise<boolean> {
  if (port === 0) return true;
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Started by npm, a node ends with that npm. */
function withoutNpm(env: Terminal['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('npm_')));
}

function pidFileOf(dataDir: string): string {
  return join(dataDir, 'background.pid');
}

function markIn(path: string): ProcessId | undefined {
  try {
    return parseProcessId(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
