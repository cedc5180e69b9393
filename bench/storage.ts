/**
 * What the storage does per second, how long it makes everybody else wait, and how fast it starts again.
 *
 *     npx tsx bench/storage.ts [records]
 *
 * Prints JSON. One record is one transaction as the aggregator makes them: a conversation document that expires, an
 * agent's document with a rank, a log record with two postings, and a counter. Times are milliseconds; `cpu` is what
 * the main thread computed, which a busy machine does not change; the rest is by the clock.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dirname, '..');

/** As plain JavaScript, like an installed package: the loader that runs TypeScript makes closures slow. */
function build(out: string): void {
  const options = {
    outDir: join(out, 'js'),
    rootDir: REPOSITORY,
    noCheck: true,
    typeRoots: [join(REPOSITORY, 'node_modules/@types')],
  };
  const config = {
    extends: join(REPOSITORY, 'tsconfig.build.json'),
    compilerOptions: options,
    files: [join(REPOSITORY, 'bench/storage/phase.ts')],
    include: [],
  };
  writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  symlinkSync(join(REPOSITORY, 'node_modules'), join(out, 'node_modules'));
  execFileSync(process.execPath, [join(REPOSITORY, 'node_modules/typescript/bin/tsc'), '-p', out]);
}

/** Every phase has a process of its own, so that none pays for the garbage of another. */
function phase(out: string, ...args: string[]): unknown {
  const nodeArgs = ['--expose-gc', ...(process.env['BENCH_NODE_ARGS']?.split(' ') ?? [])];
  const script = join(out, 'js/bench/storage/phase.js');
  const { status, stdout } = spawnSync(process.execPath, [...nodeArgs, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return JSON.parse(stdout);
}

function main(records: number): void {
  const out = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
  try {
    build(out);
    const few = Math.min(records, 5_000);
    const results = {
      records,
      memory: {
        one: phase(out, 'load', 'memory', '', `${few}`, '1'),
        sixty_four: phase(out, 'load', 'memory', '', `${Math.min(records, 100_000)}`, '64'),
      },
      lowdb: {
        one: phase(out, 'load', 'lowdb', join(out, 'one'), `${few}`, '1'),
        sixty_four: phase(out, 'load', 'lowdb', join(out, 'many'), `${records}`, '64'),
        recovery: phase(out, 'recover', 'lowdb', join(out, 'many'), `${records}`),
        sixty_four_on_top: phase(
          out,
          'load',
          'lowdb',
          join(out, 'many'),
          `${Math.min(records, 100_000)}`,
          '64',
          `${records}`,
        ),
      },
    };
    console.log(JSON.stringify(results, undefined, 2));
  } finally {
    rmSync(out, { recursive: true });
  }
}

main(Number(process.argv[2] ?? 200_000));
