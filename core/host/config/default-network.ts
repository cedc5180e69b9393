/** `network.id` where nobody says another. */
export const DEFAULT_NETWORK = 'localnet';
