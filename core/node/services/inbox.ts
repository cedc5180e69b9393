import type { Dispatcher } from '../../messaging/dispatcher.ts';
import type { Inbox } from '../../messaging/inbox.ts';
import { internalToken } from '../../platform/token.ts';

/** The durable inbox: every record stays until the agent acknowledges it. */
export type InboxService = Inbox;
export const InboxService = internalToken<InboxService>('inbox');

/** Hands what stands in the inbox to the plugins' handlers. */
export type Dispatching = Dispatcher;
export const Dispatching = internalToken<Dispatching>('dispatching');
