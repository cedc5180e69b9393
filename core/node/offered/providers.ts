import type { Provider } from '../../provider.ts';
import { eventsProvider } from './events.ts';
import { inboxProvider } from './inbox.ts';
import { messagesProvider } from './messages.ts';

/** What a node offers to plugins of what it says and hears. */
export const offeredMessaging: readonly Provider[] = [messagesProvider, inboxProvider, eventsProvider];
