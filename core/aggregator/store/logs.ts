import type { SchemaTypes } from '../../../schemas/types.ts';
import { counter, log } from '../../storage/declarations.ts';

export type StoredActivity = SchemaTypes['stored-activity'];
export type StoredInteraction = SchemaTypes['stored-interaction'];
export type StoredDispute = SchemaTypes['stored-dispute'];

/** The public feed; ids are what clients page and resume by. */
export const activity = log<StoredActivity>('activity', { schema: 'stored-activity', shared: true });

/** Every rating that counts, found by rater, by target, by both, and by either. */
export const interactions = log<StoredInteraction>('interactions', {
  schema: 'stored-interaction',
  postings: ({ sender, target_agent }) => [
    interactionPosting({ from: sender }),
    interactionPosting({ to: target_agent }),
    interactionPosting({ from: sender, to: target_agent }),
    involvedPosting(sender),
    involvedPosting(target_agent),
  ],
});

export function interactionPosting({ from = '', to = '' }: { from?: string; to?: string }): string {
  return `${from}>${to}`;
}

export function involvedPosting(agentId: string): string {
  return `@${agentId}`;
}

/** Found by the agent they were raised against. */
export const disputes = log<StoredDispute>('disputes', {
  schema: 'stored-dispute',
  postings: ({ disputed_agent }) => [disputed_agent],
});

export const agentCount = counter('agent-count');
export const interactionCount = counter('interaction-count');
