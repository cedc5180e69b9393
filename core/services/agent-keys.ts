import type { AgentKeys as Keys } from '../contracts/agent-keys.ts';
import { token } from '../platform/token.ts';

export type { KeyAnswer, KeyUse } from '../contracts/agent-keys.ts';

/** The keys of agents that are named by assets of a registry. */
export type AgentKeys = Keys;
export const AgentKeys = token<AgentKeys>('agent-keys');
