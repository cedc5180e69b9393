import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { link } from './linker/link.ts';

const COMPILER = 'clang-14';
/** The one version whose output is committed; another may make other, equally valid bytes. */
export const REQUIRED_COMPILER = '14.0.6';
const SOURCES = fileURLToPath(new URL('./src/', import.meta.url));
const FLAGS = ['-target', 'bpf', '-mcpu=v2', '-Os', '-fno-builtin', '-Wall', '-Wextra', '-Werror'];

/** The version of the installed compiler; undefined when there is none. */
export function compilerVersion(): string | undefined {
  try {
    return /version (\S+)/.exec(execFileSync(COMPILER, ['--version'], { encoding: 'utf8' }))?.[1];
  } catch {
    return undefined;
  }
}

/** Compiles src/entrypoint.c and links it. Reads src/layout.h as it is on disk. */
export function compile(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'agent-mesh-program-'));
  try {
    const object = join(folder, 'settlement.o');
    execFileSync(COMPILER, [...FLAGS, '-c', 'entrypoint.c', '-o', object], { cwd: SOURCES, stdio: 'pipe' });
    return link(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
