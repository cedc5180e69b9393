import { execFile } from 'node:child_process';
import { readFile, readlink, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One process of this machine, told apart from a later one with the same pid. */
export interface ProcessFacts {
  readonly pid: number;
  /** When it began, with the boot of the machine; two processes of one pid differ in it. */
  readonly started: string;
  /** Its real, effective, saved and file system user where the system tells them all. */
  readonly users: readonly number[];
  /** The path of its program. */
  readonly executable: string;
}

/** The rest of what it takes to start the same process again. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The regular files that its standard output and standard error go to; null for anything else. */
  readonly outputs: readonly [out: string | null, error: string | null];
}

/** Fields of /proc/PID/stat behind the name. */
const STATE = 0;
const STARTED = 19;
const DELETED = ' (deleted)';
const PATIENCE = 3_000;

const run = promisify(execFile);

/** Undefined when there is no such process, or one that has ended and waits for its parent. */
export function factsOf(pid: number): Promise<ProcessFacts | undefined> {
  return process.platform === 'linux' ? factsByProc(pid) : factsByPs(pid);
}

async function factsByProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [status, line, boot] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The fields stand behind the name, which may hold spaces and brackets.
    const fields = line.split(') ').at(-1)!.split(' ');
    if (fields[STATE] === 'Z' || fields[STATE] === 'X') return undefined;
    const users = (/^Uid:\s*(.*)$/m.exec(status)?.[1] ?? '').split(/\s+/).map(Number);
    // The link is unreadable for processes of others, which `users` shows.
    const link = await readlink(`/proc/${pid}/exe`).catch(() => '');
    return { pid, started: `${boot.trim()}:${fields[STARTED]}`, users, executable: replaced(link) };
  } catch {
    return undefined;
  }
}

/** The program was replaced since the process began, as it is before a reload: its path leads to the new one. */
function replaced(link: string): string {
  return link.endsWith(DELETED) ? link.slice(0, -DELETED.length) : link;
}

/** For systems without /proc. Spaces are part of the time it began, and may be part of the path. */
export async function factsByPs(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const ask = async (field: string) =>
      (
        await run('ps', ['-p', String(pid), '-o', `${field}=`], {
          timeout: PATIENCE,
          env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
        })
      ).stdout.trim();
    const [state, started, uid, executable] = await Promise.all(['state', 'lstart', 'uid', 'comm'].map(ask));
    if (!state || !started || !uid || !executable || state.startsWith('Z')) return undefined;
    return { pid, started, users: [Number(uid)], executable };
  } catch {
    return undefined;
  }
}

/** Undefined where the system does not tell it, or the process has ended. */
export async function invocationOf(pid: number): Promise<Invocation | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const [argv, env, cwd, out, error] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readFile(`/proc/${pid}/environ`, 'utf8'),
      readlink(`/proc/${pid}/cwd`),
      fileBehind(pid, 1),
      fileBehind(pid, 2),
    ]);
    const words = argv.split('\0').slice(0, -1);
    return words.length > 0 ? { argv: words, cwd, env: environment(env), outputs: [out, error] } : undefined;
  } catch {
    return undefined;
  }
}

function environment(text: string): Record<string, string> {
  const pairs = text.split('\0').flatMap((line): [string, string][] => {
    const at = line.indexOf('=');
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
  });
  return Object.fromEntries(pairs);
}

async function fileBehind(pid: number, descriptor: number): Promise<string | null> {
  const path = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
  if (!path.startsWith('/')) return null;
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? path : null;
}
