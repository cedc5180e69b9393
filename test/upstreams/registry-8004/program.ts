import { Assembler } from './assembler.ts';

/** Where the machine has memory that a program may use as it likes. */
const HEAP = 0x3_0000_0000n;
/** What an account takes in the list that a program hands on. */
const ACCOUNT = 56;
const [KEY, LAMPORTS, LENGTH, DATA, OWNER, EPOCH, SIGNS, WRITES, RUNS] = [0, 8, 16, 24, 32, 40, 48, 49, 50];
/** Places on the heap. */
const METAS = 512;
const CALL = 768;
const SEEDS = 832;
const SIGNERS = 896;
const DERIVED = 928;
const BUMP = 960;
const WORD = 976;
const BUFFER = 1_024;
/** Bytes of an agent's account, and of an asset without its URI; what an account costs beside its bytes, and a byte. */
const AGENT_BYTES = 748;
const ASSET_BYTES = 80;
const OVERHEAD = 128;
const RENT = 6_960;
const NEW_ASSET = 20;

/** The refusals of the stand-in. Those above 2,000 are the genuine programs'. */
export const REFUSALS = {
  duplicate: 1,
  malformed: 2,
  notWritable: 3,
  wrongAccount: 4,
  unknownInstruction: 101,
  wrongSeeds: 2_006,
  noSignature: 3_010,
  uriTooLong: 6_000,
  wrongCollection: 6_010,
} as const;

type Refusal = keyof typeof REFUSALS;

function doubleOf(bytes: readonly number[] | string): bigint {
  const padded = Buffer.alloc(8);
  Buffer.from(bytes as string).copy(padded);
  return padded.readBigUInt64LE();
}

/**
 * Stands in for the two programs of a registration, the registry and that of the assets, at their addresses: it checks accounts, signers,
 * seeds and sizes as the reference describes them, has the system program make the accounts at the owner's cost, and writes them in the
 * genuine layout. `register` is all it knows. It is no copy of the genuine programs, which cannot be had here.
 */
export function registryProgram(): Buffer {
  const code = new Assembler();
  const used = new Set<Refusal>();
  const refuse = (why: Refusal) => {
    used.add(why);
    return `refuse ${why}`;
  };
  const of = (index: number, field: number) => index * ACCOUNT + field;
  const pointer = (to: 1 | 2 | 3 | 5, index: number, field: number) => code.load('double', to, 9, of(index, field));
  /** The 32 bytes at registers 1 and 2. */
  const same = (why: Refusal) => {
    for (const at of [0, 8, 16, 24]) {
      code.load('double', 3, 1, at);
      code.load('double', 4, 2, at);
      code.jumpUnlessSame(3, 4, refuse(why));
    }
  };
  /** The 32 bytes at register 1, to register 2 and an offset. */
  const copyKey = (offset: number) => {
    for (const at of [0, 8, 16, 24]) {
      code.load('double', 3, 1, at);
      code.store('double', 2, offset + at, 3);
    }
  };
  const heap = (to: 0 | 1 | 2 | 3 | 4 | 5, offset: number) => {
    code.copy(to, 9);
    code.add(to, offset);
  };
  const keep = (offset: number, from: 0 | 1 | 2 | 3 | 6 | 7 | 8) => code.store('double', 9, offset, from);
  const meta = (index: number, account: number, writes: 0 | 1, signs: 0 | 1) => {
    pointer(1, account, KEY);
    keep(METAS + 16 * index, 1);
    code.set(1, writes | (signs << 8));
    keep(METAS + 16 * index + 8, 1);
  };
  /** Calls with what lies in the buffer; the program's address is in register 1. */
  const invoke = (metas: number, length: number | 'in register 2', signers: 0 | 1) => {
    keep(CALL, 1);
    heap(1, METAS);
    keep(CALL + 8, 1);
    code.set(1, metas);
    keep(CALL + 16, 1);
    heap(1, BUFFER);
    keep(CALL + 24, 1);
    if (length !== 'in register 2') code.set(2, length);
    keep(CALL + 32, 2);
    heap(1, CALL);
    code.copy(2, 9);
    code.load('double', 3, 9, 504);
    heap(4, SIGNERS);
    code.set(5, signers);
    code.call('sol_invoke_signed_c');
    code.jumpIf(0, 'other', 0, 'end');
  };
  /** What the system program is told: an account of so many bytes for the program at register 8; lamports are in register 3, bytes in 2. */
  const newAccount = () => {
    code.set(1, 0);
    code.store('word', 9, BUFFER, 1);
    code.store('double', 9, BUFFER + 4, 3);
    code.store('double', 9, BUFFER + 12, 2);
    code.copy(1, 8);
    heap(2, BUFFER);
    copyKey(20);
  };
  const requireFlag = (account: number, flag: number, why: Refusal) => {
    code.load('byte', 0, 9, of(account, flag));
    code.jumpIf(0, 'equal', 0, refuse(why));
  };

  // The accounts, into a list as calls need it; the number of them stands at 504.
  code.set(9, HEAP);
  code.copy(6, 1);
  code.load('double', 7, 6, 0);
  keep(504, 7);
  code.jumpIf(7, 'more', 8, refuse('malformed'));
  code.add(6, 8);
  code.copy(8, 9);
  code.label('account');
  code.jumpIf(7, 'equal', 0, 'accounts');
  code.load('byte', 0, 6, 0);
  code.jumpIf(0, 'other', 255, refuse('duplicate'));
  for (const [from, to] of [[1, SIGNS] as const, [2, WRITES] as const, [3, RUNS] as const]) {
    code.load('byte', 0, 6, from);
    code.store('byte', 8, to, 0);
  }
  for (const [from, to] of [[8, KEY] as const, [40, OWNER] as const, [72, LAMPORTS] as const, [88, DATA] as const]) {
    code.copy(2, 6);
    code.add(2, from);
    code.store('double', 8, to, 2);
  }
  code.load('double', 0, 6, 80);
  code.store('double', 8, LENGTH, 0);
  code.addRegister(2, 0);
  code.add(2, 10_240 + 7);
  code.and(2, -8);
  code.load('double', 0, 2, 0);
  code.store('double', 8, EPOCH, 0);
  code.copy(6, 2);
  code.add(6, 8);
  code.add(8, ACCOUNT);
  code.add(7, -1);
  code.jump('account');

  // Registers 6, 7 and 8: the instruction's data, its length, this program's address.
  code.label('accounts');
  code.load('double', 7, 6, 0);
  code.add(6, 8);
  code.copy(8, 6);
  code.addRegister(8, 7);
  code.jumpIf(7, 'equal', 0, refuse('unknownInstruction'));
  code.load('double', 5, 9, 504);
  code.load('byte', 0, 6, 0);
  code.jumpIf(0, 'equal', NEW_ASSET, 'asset');

  // register: root_config, registry_config, agent, asset, collection, owner, system, assets' program.
  code.jumpIf(5, 'other', 8, refuse('unknownInstruction'));
  code.jumpIf(7, 'more', 11, 'long enough');
  code.jump(refuse('malformed'));
  code.label('long enough');
  code.load('double', 0, 6, 0);
  code.set(1, doubleOf([211, 124, 67, 15, 211, 194, 178, 240]));
  code.jumpUnlessSame(0, 1, refuse('unknownInstruction'));
  code.load('word', 1, 6, 8);
  code.copy(2, 7);
  code.add(2, -12);
  code.jumpUnlessSame(1, 2, refuse('malformed'));
  code.jumpIf(1, 'more', 250, refuse('uriTooLong'));
  for (const account of [3, 5]) requireFlag(account, SIGNS, 'noSignature');
  for (const account of [2, 3, 4, 5]) requireFlag(account, WRITES, 'notWritable');
  for (const config of [0, 1]) {
    pointer(1, config, OWNER);
    code.copy(2, 8);
    same('wrongAccount');
    pointer(1, config, DATA);
    code.add(1, 8);
    pointer(2, 4, KEY);
    same('wrongCollection');
  }
  pointer(1, 4, OWNER);
  pointer(2, 7, KEY);
  same('wrongAccount');
  pointer(1, 6, KEY);
  for (const at of [0, 8, 16, 24]) {
    code.load('double', 3, 1, at);
    code.jumpIf(3, 'other', 0, refuse('wrongAccount'));
  }
  code.set(0, doubleOf('agent'));
  keep(WORD, 0);
  heap(0, WORD);
  keep(SEEDS, 0);
  code.set(0, 5);
  keep(SEEDS + 8, 0);
  pointer(1, 3, KEY);
  keep(SEEDS + 16, 1);
  code.set(0, 32);
  keep(SEEDS + 24, 0);
  heap(0, BUMP);
  keep(SEEDS + 32, 0);
  code.set(0, 1);
  keep(SEEDS + 40, 0);
  heap(0, SEEDS);
  keep(SIGNERS, 0);
  code.set(0, 3);
  keep(SIGNERS + 8, 0);
  heap(1, SEEDS);
  code.set(2, 2);
  code.copy(3, 8);
  heap(4, DERIVED);
  heap(5, BUMP);
  code.call('sol_try_find_program_address');
  code.jumpIf(0, 'other', 0, refuse('wrongSeeds'));
  heap(1, DERIVED);
  pointer(2, 2, KEY);
  same('wrongSeeds');
  // The asset, by its own program.
  code.set(0, NEW_ASSET);
  code.store('byte', 9, BUFFER, 0);
  heap(1, BUFFER + 1);
  code.copy(2, 6);
  code.add(2, 8);
  code.copy(3, 7);
  code.add(3, -8);
  code.call('sol_memcpy_');
  meta(0, 3, 1, 1);
  meta(1, 4, 1, 0);
  meta(2, 5, 1, 1);
  meta(3, 6, 0, 0);
  code.copy(2, 7);
  code.add(2, -7);
  pointer(1, 7, KEY);
  invoke(4, 'in register 2', 0);
  // The agent's account.
  code.set(2, AGENT_BYTES);
  code.set(3, (AGENT_BYTES + OVERHEAD) * RENT);
  newAccount();
  meta(0, 5, 1, 1);
  meta(1, 2, 1, 1);
  pointer(1, 6, KEY);
  invoke(2, 52, 1);
  pointer(2, 2, DATA);
  code.set(0, doubleOf([241, 119, 69, 140, 233, 9, 112, 50]));
  code.store('double', 2, 0, 0);
  for (const [account, at] of [[4, 8] as const, [5, 40] as const, [5, 72] as const, [3, 104] as const]) {
    pointer(1, account, KEY);
    copyKey(at);
  }
  code.load('byte', 0, 9, BUMP);
  code.store('byte', 2, 136, 0);
  code.set(0, 1);
  code.store('byte', 2, 137, 0);
  code.copy(1, 2);
  code.add(1, 262);
  code.copy(2, 6);
  code.add(2, 8);
  code.copy(3, 7);
  code.add(3, -8);
  code.call('sol_memcpy_');
  code.set(0, 0);
  code.exit();

  // A new asset: asset, collection, owner, system; the URI with its length.
  code.label('asset');
  code.jumpIf(5, 'other', 4, refuse('unknownInstruction'));
  for (const account of [0, 2]) requireFlag(account, SIGNS, 'noSignature');
  code.load('word', 2, 6, 1);
  code.jumpIf(2, 'more', 250, refuse('uriTooLong'));
  code.add(2, ASSET_BYTES);
  code.copy(3, 2);
  code.add(3, OVERHEAD);
  code.multiply(3, RENT);
  newAccount();
  meta(0, 2, 1, 1);
  meta(1, 0, 1, 1);
  pointer(1, 3, KEY);
  invoke(2, 52, 0);
  pointer(2, 0, DATA);
  code.set(0, 1);
  code.store('byte', 2, 0, 0);
  pointer(1, 2, KEY);
  copyKey(1);
  code.set(0, 2);
  code.store('byte', 2, 33, 0);
  pointer(1, 1, KEY);
  copyKey(34);
  code.set(0, 5);
  code.store('word', 2, 66, 0);
  code.set(0, doubleOf('Agent'));
  code.store('double', 2, 70, 0);
  code.copy(1, 2);
  code.add(1, 75);
  code.copy(2, 6);
  code.add(2, 1);
  code.copy(3, 7);
  code.add(3, -1);
  code.call('sol_memcpy_');
  code.set(0, 0);
  code.label('end');
  code.exit();

  for (const why of used) {
    code.label(`refuse ${why}`);
    code.set(0, REFUSALS[why]);
    code.exit();
  }
  return code.program();
}
