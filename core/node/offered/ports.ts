import type { Port } from '../../provider.ts';
import { eventsPort } from './events.ts';
import { inboxPort } from './inbox.ts';
import { messagesPort } from './messages.ts';

/** What a node offers to plugins of what it says and hears. */
export const offeredMessaging: readonly Port[] = [messagesPort, inboxPort, eventsPort];
