import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchContext, PhaseOptions } from './bench.ts';
import { build } from './build.ts';

export interface OpenContext extends BenchContext {
  /** Removes the build and every folder. */
  close(): void;
}

export async function openContext(quick: boolean): Promise<OpenContext> {
  const out = await build();
  const folders: string[] = [];
  const file = (script: string) => join(out, 'bench', script.replace(/\.ts$/, '.js'));
  return {
    quick,
    events: { small: 10_000, large: quick ? 100_000 : 1_000_000 },
    folder() {
      const folder = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
      folders.push(folder);
      return folder;
    },
    phase: (script, args = [], options = {}) => started<any>(file(script), args.map(String), options).printed,
    async prepared<T>(script: string, args: readonly (string | number)[] = []) {
      const { child, printed } = started<T>(file(script), args.map(String), { ipc: true });
      await Promise.race([once(child, 'message'), printed]);
      return () => {
        child.send('go');
        return printed;
      };
    },
    say,
    close() {
      for (const folder of [out, ...folders]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Started<T> {
  readonly child: ChildProcess;
  /** What it had printed when it ended. */
  readonly printed: Promise<T>;
}

function started<T>(
  script: string,
  args: readonly string[],
  { node = [], env = {}, ipc = false }: PhaseOptions & { readonly ipc?: boolean },
): Started<T> {
  const extra = process.env['BENCH_NODE_ARGS']?.split(' ') ?? [];
  const child = spawn(process.execPath, ['--expose-gc', ...node, ...extra, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', ...(ipc ? (['ipc'] as const) : [])],
    env: { ...process.env, ...env },
  });
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const printed = new Promise<T>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code !== 0) reject(new Error(`${script} ${args.join(' ')} ended with ${code ?? signal}`));
      else resolve(JSON.parse(text));
    });
  });
  return { child, printed };
}
