import type { Dispatcher } from '../../messaging/dispatcher.ts';
import type { Inbox } from '../../messaging/inbox.ts';
import { token } from '../../plugin.ts';

/** The durable inbox: every record stays until the agent acknowledges it. */
export type InboxService = Inbox;
export const InboxService = token<InboxService>('inbox');

/** Hands the inbox's records to the plugins' handlers. */
export type Dispatching = Dispatcher;
export const Dispatching = token<Dispatching>('dispatching');
