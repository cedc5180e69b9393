import type { Metrics } from '../../core/services.ts';
import type { AddressRound } from './address-round.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Shows the books, and what they differ by, at `/metrics`. */
export function measure(metrics: Metrics, reconciliation: Reconciliation, round: AddressRound): void {
  const usdc = (units: Readonly<Record<string, bigint>>) =>
    Object.fromEntries(Object.entries(units).map(([name, minor]) => [name, Number(minor) / 1e6]));
  metrics.gauges('mesh_billing_usdc', 'USDC in the billing books, at the last reconciliation.', 'account', () => {
    const standing = reconciliation.last?.standing;
    return standing ? usdc({ agents: standing.agents, ...standing.named }) : {};
  });
  const help = 'USDC on the ledger less USDC in the billing books; of the wallet only what is missing.';
  metrics.gauges('mesh_billing_difference_usdc', help, 'place', () => {
    const { last } = reconciliation;
    const beyond = last?.wallet && last.wallet.held - last.wallet.least;
    return usdc({
      ...(last && { books: last.standing.sum }),
      ...(beyond !== undefined && { wallet: beyond < 0n ? beyond : 0n }),
      ...(round.rounded && { addresses: round.differences.reduce((sum, one) => sum + one.held - one.booked, 0n) }),
    });
  });
  metrics.gauge('mesh_billing_different_addresses', 'Deposit addresses that differ from the books.', () => {
    return round.differences.length + round.more;
  });
}
