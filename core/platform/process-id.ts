import { readFileSync, readlinkSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Names a process for longer than its pid does, which the system gives again. */
export interface ProcessId {
  readonly pid: number;
  /** The boot the process belongs to: after a restart of the machine its pid means nothing. Empty where unknown. */
  readonly boot: string;
  /** When the process began, in the kernel's ticks. Empty where unknown. */
  readonly started: string;
  /** The space in which the pid counts: a container has its own. Empty where unknown, absent in marks of earlier builds. */
  readonly space?: string;
}

export function thisProcess(): ProcessId {
  return processOf(process.pid);
}

/** A process that runs in this one's space. */
export function processOf(pid: number): ProcessId {
  return { pid, boot: bootId(), started: statusOf(pid)[19] ?? '', space: pidSpace() };
}

/** A mark as a lock file holds it, with a checksum: one flipped digit of a pid names another process. */
export function processIdText(mark: ProcessId): string {
  return JSON.stringify({ ...mark, check: checkOf(mark) });
}

/** The mark in a lock file; undefined when it is none, or damaged. Marks of earlier builds have no checksum. */
export function parseProcessId(text: string): ProcessId | undefined {
  try {
    const { check, ...mark } = JSON.parse(text) as ProcessId & { readonly check?: string };
    if (check !== undefined && check !== checkOf(mark)) return undefined;
    return Number.isSafeInteger(mark.pid) && mark.pid > 0 ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a lock file was never filled in: its writer was killed, or the power went. */
export function isUnwritten(text: string): boolean {
  return !/[^\0]/.test(text);
}

function checkOf(mark: ProcessId): string {
  return crc32(JSON.stringify(mark)).toString(16).padStart(8, '0');
}

/** Whether this process, and not a later one of the same pid, is still there. */
export function isRunning(mark: ProcessId): boolean {
  const { pid, started } = mark;
  if (!isOfThisBoot(mark)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const status = statusOf(pid);
  if (status[0] === 'Z') return false;
  const now = status[19];
  return !now || !started || now === started;
}

/** Whether the pid of a mark means the same here as where it was made. */
export function isOfThisSpace({ space }: ProcessId): boolean {
  return space === undefined || space === pidSpace();
}

/** Whether the mark was made on this machine since it was started. */
export function isOfThisBoot({ boot }: ProcessId): boolean {
  return boot === bootId();
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Empty where the system has none; then only the pid counts. */
function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id').trim();
}

/**
 * The kernel's fields about a process, from its state on. They stand behind its name, which may hold spaces and
 * brackets.
 */
function statusOf(pid: number): string[] {
  return readText(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
