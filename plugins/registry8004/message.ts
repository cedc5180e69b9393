import bs58 from 'bs58';

export interface Role {
  readonly address: string;
  readonly signs?: true;
  readonly writes?: true;
}

export interface Built {
  readonly program: string;
  readonly roles: readonly Role[];
  readonly data: Uint8Array;
}

/** The protocol's own limit of a packet. */
export const MAX_BYTES = 1_232;
const SIGNATURE = 64;

/** The message of a legacy transaction with one instruction; the payer and then the other signers come first. */
export function messageOf({ program, roles, data }: Built, payer: string, blockhash: string): Uint8Array {
  const of = (signs: boolean, writes: boolean) =>
    roles
      .filter((role) => role.address !== payer && Boolean(role.signs) === signs && Boolean(role.writes) === writes)
      .map(({ address }) => address);
  const readers = [...of(false, false), program];
  const groups = [[payer], sorted(of(true, true)), sorted(of(true, false)), sorted(of(false, true)), sorted(readers)];
  const keys = groups.flat();
  const indexes = roles.map(({ address }) => keys.indexOf(address));
  const header = [1 + groups[1]!.length + groups[2]!.length, groups[2]!.length, readers.length];
  const instruction = [keys.indexOf(program), ...compact(roles.length), ...indexes, ...compact(data.length), ...data];
  return Buffer.concat([
    Uint8Array.from([...header, ...compact(keys.length)]),
    ...keys.map((key) => bs58.decode(key)),
    bs58.decode(blockhash),
    Uint8Array.from([1, ...instruction]),
  ]);
}

/** Signatures are in the order of the signers; an absent one is 64 zeros. */
export function transactionOf(message: Uint8Array, signatures: readonly (Uint8Array | undefined)[]): Uint8Array {
  const places = signatures.map((signature) => signature ?? new Uint8Array(SIGNATURE));
  return Buffer.concat([Uint8Array.of(places.length), ...places, message]);
}

/** The signatures and the message of wire bytes with so many signers; undefined when they are none. */
export function partsOf(
  bytes: Uint8Array,
  signers: number,
): { readonly signatures: readonly Uint8Array[]; readonly message: Uint8Array } | undefined {
  const from = 1 + SIGNATURE * signers;
  if (bytes[0] !== signers || bytes.length <= from || bytes.length > MAX_BYTES) return undefined;
  const signatures = Array.from({ length: signers }, (_, index) => {
    const at = 1 + SIGNATURE * index;
    return bytes.subarray(at, at + SIGNATURE);
  });
  return { signatures, message: bytes.subarray(from) };
}

function sorted(addresses: readonly string[]): string[] {
  return [...addresses].sort((one, other) => Buffer.compare(bs58.decode(one), bs58.decode(other)));
}

/** The ledger's short form of a length. */
function compact(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, ...compact(length >> 7)];
}
