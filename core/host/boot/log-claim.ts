import { readFileSync, rmSync } from 'node:fs';
import { createFile } from '../../platform/new-file.ts';
import {
  isOfThisSpace,
  isRunning,
  type ProcessId,
  parseProcessId,
  processIdText,
  thisProcess,
} from '../../platform/process-id.ts';

/** Another living process writes the log. */
export class LogInUse extends Error {
  override name = 'LogInUse';
  readonly pid: number;

  constructor(pid: number) {
    super(`is written by another node, process ${pid}`);
    this.pid = pid;
  }
}

/** The locks of this process, which may start several nodes, one after the other. */
const claimed = new Set<string>();

/**
 * Keeps a second process away from a log file until this one ends: the lines of two nodes could not be told apart, and each
 * would rename the file below the other. Throws `LogInUse`. The claim of a dead process is taken over.
 */
export function claimLog(path: string): void {
  const file = `${path}.lock`;
  const holder = holderIn(file);
  if (claimed.has(file) && holder?.pid === process.pid) return;
  if (holder && holder.pid !== process.pid && isOfThisSpace(holder) && isRunning(holder))
    throw new LogInUse(holder.pid);
  rmSync(file, { force: true });
  try {
    createFile(file, processIdText(thisProcess()));
  } catch (error) {
    // Two that start at once: the other was first.
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? holderIn(file) : undefined;
    throw other ? new LogInUse(other.pid) : error;
  }
  if (claimed.has(file)) return;
  claimed.add(file);
  process.once('exit', () => {
    if (holderIn(file)?.pid === process.pid) rmSync(file, { force: true });
  });
}

function holderIn(file: string): ProcessId | undefined {
  try {
    return parseProcessId(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
