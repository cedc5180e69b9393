import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramInstruction } from '../../../adapters/ledger-solana/program/index.ts';
import { link } from '../../../adapters/ledger-solana/program/linker/link.ts';
import { packageRoot } from '../../../core/platform/package-root.ts';

const SOURCES = join(packageRoot, 'adapters/ledger-solana/program/src');

/** Calls its first account with the others and the rest of its data; the first byte names one to claim as a signer. */
const SOURCE = `
#include "abi.h"
u64 entrypoint(const u8 *at) {
  struct account *accounts = (struct account *)0x300000000ull;
  struct meta *metas = (struct meta *)(accounts + 32);
  u64 count = *(const u64 *)at;
  at += 8;
  for (u64 i = 0; i < count; i++) {
    if (at[0] != 255) {
      accounts[i] = accounts[at[0]];
      at += 8;
      continue;
    }
    struct account *account = &accounts[i];
    account->signer = at[1], account->writable = at[2], account->executable = at[3];
    account->key = (u8 *)at + 8, account->owner = (u8 *)at + 40, account->lamports = (u64 *)(at + 72);
    account->length = *(const u64 *)(at + 80), account->data = (u8 *)at + 88;
    at = (const u8 *)(((u64)account->data + account->length + 10240 + 7) & ~7ull);
    account->rent_epoch = *(const u64 *)at;
    at += 8;
  }
  u64 length = *(const u64 *)at;
  at += 8;
  for (u64 i = 1; i < count; i++) {
    metas[i - 1].key = accounts[i].key;
    metas[i - 1].writable = accounts[i].writable;
    metas[i - 1].signer = accounts[i].signer || at[0] == i;
  }
  struct call call = {accounts[0].key, metas, count - 1, (u8 *)at + 1, length - 1};
  return sol_invoke_signed_c(&call, accounts, count, 0, 0);
}
`;

/** The program; needs the compiler. */
export function compileProxy(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'agent-mesh-proxy-'));
  try {
    const [input, output] = [join(folder, 'proxy.c'), join(folder, 'proxy.o')];
    writeFileSync(input, SOURCE);
    const flags = ['-target', 'bpf', '-mcpu=v2', '-Os', '-fno-builtin', '-I', SOURCES];
    execFileSync('clang-14', [...flags, '-c', input, '-o', output], { stdio: 'pipe' });
    return link(readFileSync(output));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The instruction, called by the proxy; `claimed` is an account that it says has signed. */
export function through(proxy: string, instruction: ProgramInstruction, claimed?: string): ProgramInstruction {
  const { programId, keys, data } = instruction;
  const index = claimed === undefined ? 255 : 1 + keys.findIndex(({ address }) => address === claimed);
  return {
    programId: proxy,
    keys: [{ address: programId, signer: false, writable: false }, ...keys],
    data: Buffer.concat([Uint8Array.of(index), data]),
  };
}
