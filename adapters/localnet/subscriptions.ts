import { accountFilters } from './account-filter.ts';
import { accountFormat, accountJson } from './account-json.ts';
import { SYSTEM_PROGRAM } from './addresses.ts';
import { cutLogs } from './faults/cut-logs.ts';
import type { Landed } from './journal-entry.ts';
import { address, type Params } from './params.ts';
import { invalidParams } from './rpc-error.ts';
import type { Stamp } from './slots.ts';
import type { View } from './view.ts';

/** The notifications of one subscription about an event: results to send, in order. */
export interface Subscription {
  readonly notification: string;
  /** Ends by itself after its first notification. */
  readonly once?: boolean;
  /** An answer that is already due when it begins. */
  readonly first?: () => object | undefined;
  readonly landed?: (landed: Landed) => readonly object[];
  readonly slot?: (stamp: Stamp) => unknown;
}

const MISSING = { lamports: 0, data: ['', 'base64'], owner: SYSTEM_PROGRAM, executable: false, rentEpoch: 0, space: 0 };
const ROOT_DEPTH = 32;

/** The PubSub methods, each turning its parameters into a subscription. */
export const SUBSCRIPTIONS: Readonly<Record<string, (params: Params, view: View) => Subscription>> = {
  signatureSubscribe(params, { chain }) {
    const signature = params.signature(0);
    return {
      notification: 'signatureNotification',
      once: true,
      first() {
        const entry = chain.history.get(signature);
        return entry && at(entry.slot, { err: entry.err });
      },
      landed: (landed) => (landed.signature === signature ? [at(landed.stamp.slot, { err: landed.meta.err })] : []),
    };
  },

  accountSubscribe(params, { chain }) {
    const watched = params.address(0);
    const format = accountFormat(params.options(1));
    return {
      notification: 'accountNotification',
      landed(landed) {
        if (!landed.keys.includes(watched)) return [];
        const state = chain.engine.account(watched);
        return [at(landed.stamp.slot, state ? accountJson(chain.engine, state, format) : MISSING)];
      },
    };
  },

  logsSubscribe(params, { faults }) {
    const mentioned = mentionedIn(params);
    return {
      notification: 'logsNotification',
      landed({ keys, signature, stamp, meta }) {
        if (mentioned !== undefined && !keys.includes(mentioned)) return [];
        return [at(stamp.slot, { signature, err: meta.err, logs: cutLogs(meta.logMessages, faults.logBytes) })];
      },
    };
  },

  programSubscribe(params, { chain }) {
    const program = params.address(0);
    const options = params.options(1);
    const format = accountFormat(options);
    const filters = accountFilters(options);
    return {
      notification: 'programNotification',
      landed: (landed) =>
        landed.keys.flatMap((pubkey) => {
          const state = pubkey ? chain.engine.account(pubkey) : null;
          if (state?.owner !== program || !filters.every((filter) => filter(state))) return [];
          return [at(landed.stamp.slot, { pubkey, account: accountJson(chain.engine, state, format) })];
        }),
    };
  },

  slotSubscribe: () => ({
    notification: 'slotNotification',
    slot: ({ slot }) => ({ slot, parent: slot - 1, root: Math.max(0, slot - ROOT_DEPTH) }),
  }),

  rootSubscribe: () => ({ notification: 'rootNotification', slot: ({ slot }) => slot }),
};

/** The one address whose transactions are wanted; undefined for all. */
function mentionedIn(params: Params): string | undefined {
  const filter = params.value(0);
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const [mentioned] = params.options(0).list('mentions', 1, address);
  if (!mentioned) throw invalidParams('params[0].mentions must name one address');
  return mentioned;
}

function at(slot: number, value: unknown): object {
  return { context: { slot }, value };
}
