import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, compilerVersion, REQUIRED_COMPILER } from '../../adapters/ledger-solana/program/compile.ts';
import { readProgram } from '../../adapters/ledger-solana/program/index.ts';
import { renderHeader } from '../../adapters/ledger-solana/program/layout/c-header.ts';
import { documentPath, withTables } from '../../adapters/ledger-solana/program/layout/document.ts';
import { link } from '../../adapters/ledger-solana/program/linker/link.ts';
import { murmur3 } from '../../adapters/ledger-solana/program/linker/murmur3.ts';
import { packageRoot } from '../../core/platform/package-root.ts';

const source = join(packageRoot, 'adapters/ledger-solana/program/src');

describe('the built program', () => {
  it('has the C header of its declaration', () => {
    assert.equal(readFileSync(join(source, 'layout.h'), 'utf8'), renderHeader());
  });

  it('has the documented tables of its declaration', () => {
    const document = readFileSync(documentPath, 'utf8');
    assert.equal(withTables(document), document);
    assert.throws(() => withTables('no marks'), /lost the marks/);
  });

  it('is byte for byte what the source compiles to', function () {
    const version = compilerVersion();
    if (version !== REQUIRED_COMPILER) {
      process.stdout.write(`      SKIPPED: needs clang ${REQUIRED_COMPILER}, found ${version ?? 'none'}\n`);
      this.skip();
    }
    assert.ok(compile().equals(readProgram()), 'settlement.so is stale: run `npm run program:build`');
  });
});

describe('the linker', () => {
  let folder: string;

  before(function () {
    if (compilerVersion() === undefined) {
      process.stdout.write('      SKIPPED: needs clang-14 to make objects\n');
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'agent-mesh-link-'));
  });

  after(() => {
    if (folder) rmSync(folder, { recursive: true });
  });

  function object(code: string, ...flags: string[]): Buffer {
    const [input, output] = [join(folder, 'input.c'), join(folder, 'output.o')];
    writeFileSync(input, code);
    execFileSync('clang-14', ['-target', 'bpf', '-mcpu=v2', '-O2', ...flags, '-c', input, '-o', output], {
      stdio: 'pipe',
    });
    return readFileSync(output);
  }

  it('links code, constants, inner calls and syscalls', () => {
    const linked = link(
      object(`
        extern unsigned long sol_log_data(const void *v, unsigned long n);
        static __attribute__((noinline)) int twice(int x) { return 2 * x + (int)sol_log_data("abc", 1); }
        int entrypoint(const int *input) { return twice(input[0]); }
      `),
    );
    assert.equal(linked.toString('latin1', 1, 4), 'ELF');
    assert.equal(linked.readUInt32LE(48), 3, 'sBPF version');
    assert.ok(linked.includes('abc\0'));
  });

  const refused: [string, RegExp, string, string[]][] = [
    ['writable data', /writable data/, 'int count; int entrypoint(void) { return ++count; }', []],
    [
      'a call the runtime does not know',
      /memcpy_ is not a syscall/,
      'extern int memcpy_(void); int entrypoint(void) { return memcpy_(); }',
      [],
    ],
    ['a missing entrypoint', /no entrypoint/, 'int start(void) { return 1; }', []],
    [
      'several code sections',
      /one code section/,
      'int other(void) { return 1; } int entrypoint(void) { return 1; }',
      ['-ffunction-sections'],
    ],
    [
      'addresses inside constants',
      /constants with addresses|unexpected section/,
      'int f(void) { return 1; } int (*const volatile table[])(void) = {f}; int entrypoint(void) { return table[0](); }',
      [],
    ],
  ];
  for (const [what, message, code, flags] of refused) {
    it(`refuses ${what}`, () => assert.throws(() => link(object(code, ...flags)), message));
  }

  it('calls syscalls by the hash of their name', () => {
    assert.equal(murmur3('sol_log_'), 0x207559bd);
    assert.equal(murmur3('sol_memcpy_'), 0x717cc4a3);
    assert.equal(murmur3('abort'), 0xb6fc1a11);
  });

  it('refuses what is not an object for this machine', () => {
    assert.throws(() => link(Buffer.from('hello')), /not an ELF object/);
    assert.throws(() => link(readFileSync(process.execPath).subarray(0, 4096)), /not an ELF object/);
  });
});
