import bs58 from 'bs58';

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly state: 'uninitialized' | 'initialized' | 'frozen';
  readonly rentExemptReserve: bigint | null;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: string | null;
}

export interface Mint {
  readonly mintAuthority: string | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly isInitialized: boolean;
  readonly freezeAuthority: string | null;
}

export interface UiAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number;
  readonly uiAmountString: string;
}

export const MINT_BYTES = 82;
export const TOKEN_ACCOUNT_BYTES = 165;
export const MULTISIG_BYTES = 355;
const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

/** Undefined for data that is no token account. Extensions of Token-2022 after the base layout are ignored. */
export function tokenAccount(data: Buffer): TokenAccount | undefined {
  if (data.length < TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES) return undefined;
  return {
    mint: key(data, 0),
    owner: key(data, 32),
    amount: data.readBigUInt64LE(64),
    delegate: optionalKey(data, 72),
    state: STATES[data[108]!] ?? 'uninitialized',
    rentExemptReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : null,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalKey(data, 129),
  };
}

/** Undefined for data that is no mint. */
export function mint(data: Buffer): Mint | undefined {
  if (data.length !== MINT_BYTES) return undefined;
  return {
    mintAuthority: optionalKey(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44]!,
    isInitialized: data[45] === 1,
    freezeAuthority: optionalKey(data, 46),
  };
}

export function encodeMint(authority: string, decimals: number): Buffer {
  const data = Buffer.alloc(MINT_BYTES);
  data.writeUInt32LE(1, 0);
  data.set(bs58.decode(authority), 4);
  data[44] = decimals;
  data[45] = 1;
  return data;
}

export function uiAmount(amount: bigint, decimals: number): UiAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return {
    amount: amount.toString(),
    decimals,
    uiAmount: Number(amount) / 10 ** decimals,
    uiAmountString: fraction ? `${whole}.${fraction}` : whole,
  };
}

function key(data: Buffer, offset: number): string {
  return bs58.encode(data.subarray(offset, offset + 32));
}

function optionalKey(data: Buffer, offset: number): string | null {
  return data.readUInt32LE(offset) === 1 ? key(data, offset + 4) : null;
}
