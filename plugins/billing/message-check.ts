import { chainNamed, SOLANA } from './settlement/chains.ts';
import type { BurnMessage } from './settlement/message.ts';
import { addressBytes } from './settlement/solana/addresses.ts';
import { evmRecipient, forwardingHook } from './settlement/solana/burn.ts';
import { burnOf, type Withdrawal } from './stored.ts';

/** Why an attested message is not that of this burn: a service that mixed two up would have the wrong one paid. */
export function messageFault(
  message: BurnMessage | undefined,
  withdrawal: Withdrawal,
  mint: string,
): string | undefined {
  if (!message) return 'it is no message of version 2';
  const expected = {
    sourceDomain: chainNamed(SOLANA)!.wire,
    destinationDomain: chainNamed(withdrawal.chain)!.wire,
    burnToken: hex(addressBytes(mint)),
    mintRecipient: hex(evmRecipient(withdrawal.address.toLowerCase())),
    amount: burnOf(withdrawal),
    maxFee: BigInt(withdrawal.maxFee!),
    hookData: hex(forwardingHook()),
  };
  const names = Object.keys(expected) as (keyof typeof expected)[];
  const wrong = names.filter((name) => message[name] !== expected[name]);
  if (wrong.length > 0) return `it differs in ${wrong.join(', ')}`;
  return message.feeExecuted > message.maxFee ? 'it takes more than was allowed' : undefined;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
