import { collection } from '../../core/plugin.ts';
import type { SchemaTypes } from '../../schemas/types.ts';

export type Mailbox = SchemaTypes['stored-mailbox'];
export type Entry = Mailbox['entries'][number];
export type Device = SchemaTypes['stored-device'];
export type Wake = SchemaTypes['stored-wake'];

/** Envelopes live for four epochs of a day; a message that waits longer would be refused by its recipient. */
export const KEPT_FOR = 4 * 86_400_000;

/** The agents that sleep, by agent id; who is not here is awake. */
export const sleepers = collection<SchemaTypes['stored-sleeper']>('sleepers', { schema: 'stored-sleeper' });

/** Where agents are woken, by agent id. */
export const devices = collection<Device>('devices', { schema: 'stored-device' });

/** Envelopes that wait for an agent, by agent id. */
export const mailboxes = collection<Mailbox>('mailboxes', { schema: 'stored-mailbox' });

/** The envelopes in base64, by agent id and cursor. */
export const held = collection<string>('held', { schema: () => [], ttl: KEPT_FOR });

/** The wakes under way, by agent id: one for an agent, however many messages wait. */
export const wakes = collection<Wake, 'due'>('wakes', {
  schema: 'stored-wake',
  indexes: { due: ({ due }) => [due] },
});

export function heldRef(agent: string, cursor: number) {
  return held.ref(`${agent}/${cursor}`);
}
