import type { Fallback as FallbackValue } from '../../messaging/fallback.ts';
import type { LocalRecipients } from '../../messaging/local-recipients.ts';
import { internalToken } from '../../platform/token.ts';
import type { Agent } from '../agents/agent.ts';
import type { HostDirectory } from '../agents/host-directory.ts';

/** This node's own agent. */
export type OwnAgent = Agent;
export const OwnAgent = internalToken<OwnAgent>('own-agent');

/** The agents that live in this process, as envelopes find them. */
export const Recipients = internalToken<LocalRecipients>('local-recipients');

/** Which nodes act for which agents elsewhere. */
export const Hosts = internalToken<HostDirectory>('host-directory');

/** Where the outboxes of this node leave what they cannot deliver. */
export type Fallback = FallbackValue;
export const Fallback = internalToken<Fallback>('fallback');
