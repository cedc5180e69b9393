import type { SchemaTypes } from '../../schemas/types.ts';

/** plugins.json with flags and variables applied, references resolved and defaults filled in. Holds secrets. */
export type Settings = Required<Omit<SchemaTypes['settings'], '$schema'>>;

/** `network.id` where nobody says another. */
export const DEFAULT_NETWORK = 'localnet';
