import type { Contracts } from '../../../contracts/contracts.ts';
import { BUILT_IN_GUARDS } from '../../../http/guards.ts';
import type { Principal } from '../../../http/route.ts';
import type { BoundGuard } from '../../../http/served.ts';
import type { Sale, Till } from '../../../http/till.ts';
import type { Cluster } from '../../../ledger/ledger.ts';
import { type OfferedPayment, paymentOf } from './payment.ts';
import { Sales, type SalesOptions } from './sales.ts';
import { Terms } from './terms.ts';

export interface NodeTillOptions extends SalesOptions {
  readonly contracts: Contracts;
  /** The URL at which others reach the node. */
  readonly url: () => string;
  /** As offers name it. */
  readonly cluster: Cluster;
}

/** Sells calls for USDC that comes into the wallet of this node, which pays the fees of its buyers' transactions. */
export class NodeTill implements Till {
  readonly #options: NodeTillOptions;
  readonly #sales: Sales;

  constructor(options: NodeTillOptions) {
    this.#options = options;
    this.#sales = new Sales(options);
  }

  guardOf(sale: Sale): BoundGuard {
    const { contracts, ledger, signer, url, cluster } = this.#options;
    const terms = new Terms(sale, signer.address, cluster);
    const offered = new WeakMap<Principal, OfferedPayment>();
    return {
      name: 'x402',
      spec: BUILT_IN_GUARDS['x402'],
      admit: ({ headers, path }) => {
        const payment = paymentOf({ contracts, foreign: ledger.foreign }, terms, headers, url() + path);
        const principal: Principal = { kind: 'x402', id: payment.payer };
        offered.set(principal, payment);
        return principal;
      },
      charge: (principal, ip) => this.#sales.take(offered.get(principal)!, terms, ip),
    };
  }
}
