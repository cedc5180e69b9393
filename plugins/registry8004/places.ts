/** Where the registry is on a cluster. */
export interface Place {
  readonly program: string;
  /** Whether registrations may be made there: it is a test cluster. */
  readonly isTest: boolean;
}

/** Metaplex Core, the program of the assets; its address is the same everywhere. */
export const ASSETS = 'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d';
export const SYSTEM = '11111111111111111111111111111111';

const TEST_PROGRAM = '8oo4J9tBB3Hna1jRQ3rWvJjojqM5DYTDJo5cejUuJy3C';

/** The registry of the test cluster, which registrations name whatever this node is connected to. */
export const TEST: Place = { program: TEST_PROGRAM, isTest: true };

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['devnet', TEST],
  // A localnet has what its operator puts there, under the addresses of the test cluster.
  ['localnet', TEST],
  ['mainnet-beta', { program: '8oo4dC4JvBLwy5tGgiH3WwK4B9PWxL9Z4XjA2jzkQMbQ', isTest: false }],
]);

/** Undefined where there is no registry. */
export function placeOn(cluster: string | undefined): Place | undefined {
  return cluster === undefined ? undefined : PLACES.get(cluster);
}

/** A page about a transaction. */
export function explorerOf(signature: string, cluster: string | undefined): string {
  return `https://explorer.solana.com/tx/${signature}?cluster=${cluster === 'devnet' ? 'devnet' : 'custom'}`;
}
