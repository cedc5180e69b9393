import { Assembler } from './assembler.ts';

/** Registers that keep their value over a call. */
const [INPUT, HEAP, COUNT, DATA] = [6, 7, 8, 9];
const INFO = 56;
/** In the heap, behind the descriptions of the accounts. */
const [METAS, INSTRUCTION, BYTES] = [2_000, 2_112, 2_200];
const CREATE_LAMPORTS = 4_000_000;
const EVENT_BYTES = 400;

/** Of `deposit_for_burn_with_hook`, as the transfer service lists them. */
const ACCOUNT = { payer: 1, burnt: 3, mint: 10, event: 11, transmitter: 12, token: 14, system: 15, owner: 0 } as const;

/**
 * Stands in for the transfer service's program on a localnet: it makes the event account, which its payer has to fund, and burns the USDC.
 * It takes `deposit_for_burn_with_hook` alone. It keeps no message: the attestation stand-in reads the transaction.
 */
export function transferProgram(): Buffer {
  const code = new Assembler();
  code.copy(INPUT, 1).set(HEAP, 3).shiftLeft(HEAP, 32).load('word', COUNT, INPUT).add(INPUT, 8);
  describeAccounts(code);
  code.copy(DATA, INPUT).add(DATA, 8);
  for (const [index, byte] of [111, 245, 62, 131, 204, 108, 223, 155].entries())
    code.load('byte', 1, DATA, index).jumpUnless(1, byte, 'refuse');
  createEvent(code);
  burn(code);
  return code.set(0, 0).exit().label('refuse').set(0, 101).exit().program();
}

/** Writes what the runtime wants to know of each account, from the serialised input, into the heap. */
function describeAccounts(code: Assembler): void {
  code.set(2, 0).copy(3, HEAP).label('account').jumpIfEqual(2, COUNT, 'described');
  code.load('byte', 4, INPUT).jumpUnless(4, 255, 'again');
  for (const [field, offset] of [8, 72].entries())
    code
      .copy(5, INPUT)
      .add(5, offset)
      .store('word', 3, field * 8, 5);
  code.load('word', 1, INPUT, 80).store('word', 3, 16, 1);
  for (const [offset, from] of [
    [24, 88],
    [32, 40],
  ] as const)
    code.copy(5, INPUT).add(5, from).store('word', 3, offset, 5);
  for (const [offset, from] of [
    [48, 1],
    [49, 2],
    [50, 3],
  ] as const)
    code.load('byte', 5, INPUT, from).store('byte', 3, offset, 5);
  code
    .add(INPUT, 88)
    .addRegister(INPUT, 1)
    .add(INPUT, 10_240 + 7)
    .and(INPUT, -8);
  code.load('word', 5, INPUT).store('word', 3, 40, 5).add(INPUT, 8).jump('next');
  code.label('again').copy(5, 4).shiftLeft(5, 6).shiftLeft(4, 3).subtractRegister(5, 4).addRegister(5, HEAP);
  for (let offset = 0; offset < INFO; offset += 8) code.load('word', 1, 5, offset).store('word', 3, offset, 1);
  code.add(INPUT, 8).label('next').add(2, 1).add(3, INFO).jump('account').label('described');
}

function createEvent(code: Assembler): void {
  code.set(1, 0).store('word', HEAP, BYTES, 1);
  code.set(1, CREATE_LAMPORTS);
  store64(code, BYTES + 4);
  code.set(1, EVENT_BYTES);
  store64(code, BYTES + 12);
  code.load('word', 2, HEAP, ACCOUNT.transmitter * INFO);
  for (let at = 0; at < 32; at++) code.load('byte', 1, 2, at).store('byte', HEAP, BYTES + 20 + at, 1);
  invoke(code, ACCOUNT.system, 52, [
    { account: ACCOUNT.payer, writable: 1, signer: 1 },
    { account: ACCOUNT.event, writable: 1, signer: 1 },
  ]);
}

function burn(code: Assembler): void {
  code.set(1, 8).store('byte', HEAP, BYTES, 1);
  for (let at = 0; at < 8; at++) code.load('byte', 1, DATA, 8 + at).store('byte', HEAP, BYTES + 1 + at, 1);
  invoke(code, ACCOUNT.token, 9, [
    { account: ACCOUNT.burnt, writable: 1, signer: 0 },
    { account: ACCOUNT.mint, writable: 1, signer: 0 },
    { account: ACCOUNT.owner, writable: 0, signer: 1 },
  ]);
}

/** The eight bytes of register 1, wherever they begin. */
function store64(code: Assembler, at: number): void {
  for (let byte = 0; byte < 8; byte++) code.store('byte', HEAP, at + byte, 1).shiftRight(1, 8);
}

function invoke(
  code: Assembler,
  program: number,
  bytes: number,
  metas: readonly { account: number; writable: number; signer: number }[],
): void {
  for (const [index, { account, writable, signer }] of metas.entries()) {
    const at = METAS + index * 16;
    code.load('word', 1, HEAP, account * INFO).store('word', HEAP, at, 1);
    code.set(1, writable).store('byte', HEAP, at + 8, 1);
    code.set(1, signer).store('byte', HEAP, at + 9, 1);
  }
  code.load('word', 1, HEAP, program * INFO).store('word', HEAP, INSTRUCTION, 1);
  code
    .copy(1, HEAP)
    .add(1, METAS)
    .store('word', HEAP, INSTRUCTION + 8, 1);
  code.set(1, metas.length).store('word', HEAP, INSTRUCTION + 16, 1);
  code
    .copy(1, HEAP)
    .add(1, BYTES)
    .store('word', HEAP, INSTRUCTION + 24, 1);
  code.set(1, bytes).store('word', HEAP, INSTRUCTION + 32, 1);
  code.copy(1, HEAP).add(1, INSTRUCTION).copy(2, HEAP).copy(3, COUNT).set(4, 0).set(5, 0);
  code.syscall('sol_invoke_signed_c');
}
