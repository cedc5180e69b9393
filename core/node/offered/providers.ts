import type { Provider } from '../../provider.ts';
import { offeredDealsProvider } from './deals.ts';
import { eventsProvider } from './events.ts';
import { inboxProvider } from './inbox.ts';
import { messagesProvider } from './messages.ts';
import { offeredPaymentsProvider } from './payments.ts';
import { peersProvider } from './peers-provider.ts';

/** The services that a node offers to plugins. */
export const offeredProviders: readonly Provider[] = [
  messagesProvider,
  inboxProvider,
  eventsProvider,
  offeredDealsProvider,
  offeredPaymentsProvider,
  peersProvider,
];
