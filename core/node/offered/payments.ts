import { MeshError } from '../../contracts/errors.ts';
import { IdempotencyStore, Identity, Ledger } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { optional } from '../../plugin.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { Clock, Contracts, Payments } from '../../services.ts';
import { dealView } from '../deals/deal-view.ts';
import { EscrowRequests } from '../escrow/escrow-requests.ts';
import { PluginPayments } from '../payments/plugin-payments.ts';
import { DealBook } from '../services/deal-book.ts';
import { DealJobs } from '../services/deal-jobs.ts';
import { Escrows } from '../services/escrows.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Counted } from '../services/money.ts';
import { Requests } from './requests.ts';
import { requirePermission } from './require-permission.ts';

/** USDC of this node's wallet for a plugin that may spend it. */
export const offeredPaymentsProvider = provider(Payments, {
  uses: {
    deals: DealBook,
    work: DealJobs,
    escrows: Escrows,
    identity: Identity,
    space: NodeSpace,
    counted: Counted,
    contracts: Contracts,
    idempotency: IdempotencyStore,
    clock: Clock,
    ledger: optional(Ledger),
  },
  open(services, { signal }) {
    const { work, identity, space, counted, clock, ledger } = services;
    const escrow = new EscrowRequests(services);
    const wallet =
      ledger && counted && new PluginPayments({ space, ledger, counted, signer: ledgerSigner(identity), signal });

    function open() {
      if (ledger && wallet && work.outgoing) return { ledger, wallet, outgoing: work.outgoing };
      throw new MeshError('ledger_unavailable', 'This node has no ledger; start it with --rpc-url.');
    }

    return new PerPlugin<Payments>((asker) => {
      const requests = new Requests(asker.name, services);
      const allowed = () => {
        requirePermission(asker, 'money:spend');
        return open();
      };
      return {
        async balances() {
          const { ledger } = allowed();
          const [{ lamports }, usdc] = await Promise.all([
            ledger.balances(identity.address),
            ledger.usdc(identity.address),
          ]);
          return { lamports, usdc };
        },
        async transfer(transfer, { until = 'confirmed' } = {}) {
          const { wallet } = allowed();
          return wallet.transfer(asker.name, transfer, until === 'final' ? 'finalised' : 'confirmed');
        },
        async find(key) {
          return allowed().wallet.find(asker.name, key);
        },
        async pay(conversationId) {
          const { outgoing } = allowed();
          const conversation = requests.read('conversation-id', conversationId).toLowerCase();
          const paid = await outgoing.pay(conversation, work.signal);
          return dealView(paid, identity.address, clock.now(), ledger);
        },
        async lock(request) {
          allowed();
          return escrow.lock(requests.read('escrow-lock-request', request));
        },
        async approve(request) {
          allowed();
          return escrow.plain('approve', requests.read('escrow-request', request));
        },
      };
    });
  },
});
