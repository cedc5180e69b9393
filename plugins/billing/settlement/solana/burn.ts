import type { Chain } from '../chains.ts';
import { addressBytes, derivedAddress, SYSTEM, TOKEN, tokenAccountOf } from './addresses.ts';
import { account, type Instruction } from './transaction.ts';

/** The programs of the transfer service on Solana, the same on every cluster. */
export const TOKEN_MESSENGER = 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe';
export const MESSAGE_TRANSMITTER = 'CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC';

/** sha256 of `global:deposit_for_burn_with_hook`, its first eight bytes. */
const DEPOSIT_FOR_BURN_WITH_HOOK = Uint8Array.of(111, 245, 62, 131, 204, 108, 223, 155);
const ANYONE = new Uint8Array(32);

export interface Burn {
  /** The wallet whose USDC is burnt, and which pays the rent of the event account. */
  readonly owner: string;
  readonly mint: string;
  /** A key that was never used: the account of the message. */
  readonly event: string;
  readonly amount: bigint;
  readonly destination: Chain;
  /** An EVM address. */
  readonly recipient: string;
  readonly maxFee: bigint;
  readonly finality: number;
}

/** Asks the service to submit the mint: `cctp-forward`, filled up to 24 bytes, version 0, and a payload of no bytes. */
export function forwardingHook(): Uint8Array {
  const hook = Buffer.alloc(32);
  hook.write('cctp-forward', 'latin1');
  return hook;
}

/** An EVM address in 32 bytes, as messages carry it. */
export function evmRecipient(address: string): Uint8Array {
  return Buffer.from(address.slice(2).padStart(64, '0'), 'hex');
}

/** Burns USDC here for a mint of it on an EVM chain, submitted by the service. */
export function burnUsdc({ owner, mint, event, destination, ...burn }: Burn): Instruction {
  const derived = (seeds: readonly (string | Uint8Array)[]) => derivedAddress(TOKEN_MESSENGER, seeds);
  return {
    program: TOKEN_MESSENGER,
    accounts: [
      account(owner, 'signer'),
      account(owner, 'signer', 'writable'),
      account(derived(['sender_authority'])),
      account(tokenAccountOf(owner, mint), 'writable'),
      account(derived(['denylist_account', addressBytes(owner)])),
      account(derivedAddress(MESSAGE_TRANSMITTER, ['message_transmitter']), 'writable'),
      account(derived(['token_messenger'])),
      account(derived(['remote_token_messenger', String(destination.wire)])),
      account(derived(['token_minter'])),
      account(derived(['local_token', addressBytes(mint)]), 'writable'),
      account(mint, 'writable'),
      account(event, 'signer', 'writable'),
      account(MESSAGE_TRANSMITTER),
      account(TOKEN_MESSENGER),
      account(TOKEN),
      account(SYSTEM),
      account(derived(['__event_authority'])),
      account(TOKEN_MESSENGER),
    ],
    data: burnData({ ...burn, wire: destination.wire }),
  };
}

function burnData(
  burn: { readonly wire: number } & Pick<Burn, 'amount' | 'recipient' | 'maxFee' | 'finality'>,
): Uint8Array {
  const hook = forwardingHook();
  const numbers = Buffer.alloc(12);
  numbers.writeBigUInt64LE(burn.amount, 0);
  numbers.writeUInt32LE(burn.wire, 8);
  const limits = Buffer.alloc(16);
  limits.writeBigUInt64LE(burn.maxFee, 0);
  limits.writeUInt32LE(burn.finality, 8);
  limits.writeUInt32LE(hook.length, 12);
  return Buffer.concat([DEPOSIT_FOR_BURN_WITH_HOOK, numbers, evmRecipient(burn.recipient), ANYONE, limits, hook]);
}
