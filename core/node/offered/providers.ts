import type { Provider } from '../../provider.ts';
import { aggregatorCallsProvider } from './aggregator-calls.ts';
import { offeredDealsProvider } from './deals.ts';
import { envelopesProvider } from './envelopes.ts';
import { eventsProvider } from './events.ts';
import { historyProvider } from './history.ts';
import { inboxProvider } from './inbox.ts';
import { judgingProviders } from './judging.ts';
import { localAgentsProvider } from './local-agents.ts';
import { messagesProvider } from './messages.ts';
import { ownerProvider } from './owner.ts';
import { offeredPaymentsProvider } from './payments.ts';
import { peersProvider } from './peers-provider.ts';

/** The services that a node offers to plugins. */
export const offeredProviders: readonly Provider[] = [
  messagesProvider,
  inboxProvider,
  eventsProvider,
  offeredDealsProvider,
  offeredPaymentsProvider,
  historyProvider,
  peersProvider,
  localAgentsProvider,
  ownerProvider,
  aggregatorCallsProvider,
  envelopesProvider,
  ...judgingProviders,
];
