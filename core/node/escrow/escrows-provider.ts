import { Identity, Ledger, RecordedTransactions } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { optional } from '../../plugin.ts';
import { provider } from '../../provider.ts';
import { Clock } from '../../services.ts';
import { storeJob } from '../../storage/store-job.ts';
import { dealEvent } from '../deals/deal-event-data.ts';
import { Timers } from '../deals/deal-timers.ts';
import { dealsSettings } from '../deals/deals-config.ts';
import { Money } from '../deals/money-step.ts';
import { Escrows } from '../services/escrows.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Counted } from '../services/money.ts';
import { Events } from '../services/node-events.ts';
import { EscrowKeeper } from './escrow-keeper.ts';
import { EscrowSteps } from './escrow-steps.ts';
import { EscrowWatch } from './escrow-watch.ts';

/** Escrows of a node whose ledger has the settlement program. */
export const escrowsProvider = provider(Escrows, {
  uses: {
    space: NodeSpace,
    identity: Identity,
    events: Events,
    timers: Timers,
    clock: Clock,
    ledger: optional(Ledger),
    transactions: optional(RecordedTransactions),
    counted: Counted,
    money: Money,
  },
  open({ space, identity, events, timers, clock, ledger, ...spending }, { settings, log, signal }) {
    const { transactions, counted, money } = spending;
    const settlement = ledger?.settlement;
    if (!settlement || !transactions || !counted) return { jobs: [], open: undefined };
    const watch = new EscrowWatch({
      ...{ space, settlement, clock, log },
      self: identity.address,
      changed(document) {
        timers.moved();
        events.emit('deal', undefined, dealEvent(document));
      },
    });
    const steps = new EscrowSteps({
      ...{ settlement, ledger, transactions, counted, money, log, signal },
      signer: ledgerSigner(identity),
    });
    const keeper = new EscrowKeeper({
      ...{ space, steps, watch, clock, log },
      self: identity.address,
      policy: dealsSettings(settings),
      remind: (document, reminder) => events.emit('deal', undefined, { ...dealEvent(document), reminder }),
    });
    const jobs = [
      storeJob(space, clock, { name: 'escrow-watch', every: 1_000, first: 0, run: (stop) => watch.run(stop) }),
      storeJob(space, clock, { name: 'escrow-duties', every: 1_000, run: (stop) => keeper.run(stop) }),
    ];
    return { jobs, open: { steps, watch } };
  },
});
