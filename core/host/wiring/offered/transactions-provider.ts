import { MeshError } from '../../../contracts/errors.ts';
import { Identity, Ledger, RecordedTransactions, Store } from '../../../internal-services.ts';
import { ledgerSigner } from '../../../ledger/ledger.ts';
import { NodeSpace } from '../../../node/services/messaging.ts';
import { Counted } from '../../../node/services/money.ts';
import { optional } from '../../../plugin.ts';
import { PerPlugin, provider } from '../../../provider.ts';
import { Clock, Transactions } from '../../../services.ts';
import { storeJob } from '../../../storage/store-job.ts';
import { AwaitedEntries } from './awaited-entries.ts';
import { SignedTransactions } from './signed-transactions.ts';
import { parseSol } from './sol-caps.ts';

/** How often it is looked whether a transaction is final that the history shall tell of. */
const SETTLE_MS = 10_000;
/** Enough for fees and a few accounts; whoever launches or trades with more says so. */
const DEFAULTS = { maxSolPerTransaction: '0.1', maxSolPerDay: '0.5' };

/** Transactions that a service built, for plugins that may have them signed. */
export const transactionsOfPluginsProvider = provider(Transactions, {
  uses: {
    store: Store,
    identity: Identity,
    ledger: optional(Ledger),
    recorded: optional(RecordedTransactions),
    counted: optional(Counted),
    history: optional(NodeSpace),
    clock: Clock,
  },
  open({ store, identity, ledger, recorded, counted, history, clock }, { settings, signal, log, defer }) {
    const { maxSolPerTransaction, maxSolPerDay } = { ...DEFAULTS, ...settings.ledger };
    const caps = { maxSolPerTransaction: parseSol(maxSolPerTransaction), maxSolPerDay: parseSol(maxSolPerDay) };
    const space = store.space('ledger');
    const signer = ledgerSigner(identity);
    const now = () => clock.now();
    const entries = history && recorded && new AwaitedEntries(space, history, recorded);
    async function settle(settled: AwaitedEntries): Promise<void> {
      const run = (stop: AbortSignal) => settled.settle(now(), stop);
      const job = storeJob(space, clock, { name: 'awaited-entries', every: SETTLE_MS, run });
      for (let isDone = false; !signal.aborted; ) {
        try {
          await clock.sleep(SETTLE_MS, signal);
          if (isDone) await job.due?.(signal);
          isDone = false;
          await job.run(signal);
          isDone = true;
        } catch (error) {
          if (!signal.aborted) log.warn({ reason: String(error) }, 'entries of the history could not be written');
        }
      }
    }
    const settling = entries && settle(entries);
    defer(() => settling);
    return new PerPlugin<Transactions>((asker) => {
      if (!ledger || !recorded) return withoutLedger;
      return new SignedTransactions({ ledger, recorded, counted, entries, space, caps, signer, now, signal }, asker);
    });
  },
});

const unavailable = () =>
  Promise.reject(new MeshError('ledger_unavailable', 'There is no ledger here; start with --rpc-url.'));
const withoutLedger: Transactions = {
  ...{ inspect: unavailable, sign: unavailable, send: unavailable },
  ...{ relay: unavailable, find: unavailable },
};
