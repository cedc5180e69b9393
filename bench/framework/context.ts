import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchContext, PhaseOptions } from './bench.ts';
import { build } from './build.ts';

export interface OpenContext extends BenchContext {
  /** Removes the build and every folder. */
  close(): void;
}

export function openContext(quick: boolean): OpenContext {
  const out = build();
  const folders: string[] = [];
  return {
    quick,
    events: { small: 10_000, large: quick ? 100_000 : 1_000_000 },
    folder() {
      const folder = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
      folders.push(folder);
      return folder;
    },
    phase: (script, args = [], options = {}) =>
      phase(join(out, 'bench', script.replace(/\.ts$/, '.js')), args.map(String), options),
    say,
    close() {
      for (const folder of [out, ...folders]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function phase<T>(script: string, args: readonly string[], { node = [], env = {} }: PhaseOptions): Promise<T> {
  const extra = process.env['BENCH_NODE_ARGS']?.split(' ') ?? [];
  const child = spawn(process.execPath, ['--expose-gc', ...node, ...extra, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code !== 0) reject(new Error(`${script} ${args.join(' ')} ended with ${code ?? signal}`));
      else resolve(JSON.parse(printed));
    });
  });
}
