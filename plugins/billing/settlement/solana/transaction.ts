import { addressBytes } from './addresses.ts';

export interface AccountMeta {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
}

/** Signs a message with the key of an address. */
export interface Cosigner {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

const SIGNATURE = 64;

export function account(address: string, ...rights: readonly ('signer' | 'writable')[]): AccountMeta {
  return { address, signer: rights.includes('signer'), writable: rights.includes('writable') };
}

/**
 * The wire bytes of a transaction in the first format, signed by the cosigners. The fee payer's place stays empty, as do those of signers
 * who are not named.
 */
export function buildTransaction(
  feePayer: string,
  instructions: readonly Instruction[],
  blockhash: string,
  cosigners: readonly Cosigner[] = [],
): Uint8Array {
  const keys = keysOf(feePayer, instructions);
  const at = new Map(keys.map(({ address }, index) => [address, index]));
  const signers = keys.filter(({ signer }) => signer);
  const message = Buffer.concat([
    Uint8Array.of(
      signers.length,
      signers.filter(({ writable }) => !writable).length,
      keys.filter(({ signer, writable }) => !signer && !writable).length,
    ),
    shortLength(keys.length),
    ...keys.map(({ address }) => addressBytes(address)),
    addressBytes(blockhash),
    shortLength(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(at.get(program)!),
      shortLength(accounts.length),
      Uint8Array.from(accounts, ({ address }) => at.get(address)!),
      shortLength(data.length),
      data,
    ]),
  ]);
  const signatures = signers.map(({ address }) => {
    const cosigner = cosigners.find((one) => one.address === address);
    return cosigner ? cosigner.sign(message) : new Uint8Array(SIGNATURE);
  });
  return Buffer.concat([shortLength(signatures.length), ...signatures, message]);
}

/** Every account once: signers before others, those that are written before those that are read, the fee payer first. */
function keysOf(feePayer: string, instructions: readonly Instruction[]): AccountMeta[] {
  const found = new Map<string, { address: string; signer: boolean; writable: boolean }>();
  const add = ({ address, signer, writable }: AccountMeta) => {
    const known = found.get(address);
    if (!known) found.set(address, { address, signer, writable });
    else Object.assign(known, { signer: known.signer || signer, writable: known.writable || writable });
  };
  add(account(feePayer, 'signer', 'writable'));
  for (const { accounts } of instructions) for (const one of accounts) add(one);
  for (const { program } of instructions) add(account(program));
  const place = ({ signer, writable }: AccountMeta) => (signer ? 0 : 2) + (writable ? 0 : 1);
  return [...found.values()].sort((one, other) => place(one) - place(other));
}

/** A length in seven bits a byte, lowest first. */
function shortLength(length: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
