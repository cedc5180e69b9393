import type { Space } from '../../core/services.ts';
import { marks } from './stored.ts';

/**
 * The books of a store are those of one wallet: its transactions, its fees and its cap. A second aggregator on the same store would pay
 * the same withdrawals from another one, so it does not start.
 */
export async function requireOneWallet(space: Space, address: string): Promise<void> {
  const ref = marks.ref('wallet');
  const { value } = await space.tx([ref], (tx) => {
    const before = tx.get(ref)?.value;
    if (before === undefined) tx.put(ref, { value: address });
    return before ?? address;
  });
  if (value === address) return;
  throw new Error(
    `The billing of this store pays from the wallet ${value}, and this aggregator's is ${address}. Run billing in one aggregator, with a storage.prefix of its own, or put the former identity.key back.`,
  );
}
