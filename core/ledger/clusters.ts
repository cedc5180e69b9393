import bs58 from 'bs58';

/** Clusters by genesis hash; a URL proves nothing. */
const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet-beta'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
]);

const DEVNET_USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const USDC_MINTS: ReadonlyMap<string, string> = new Map([
  ['mainnet-beta', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ['devnet', DEVNET_USDC],
  ['localnet', DEVNET_USDC],
]);

/** A localnet draws its own genesis hash: this text, then random bytes. */
const LOCALNET_TAG = Buffer.from('localnet');

/** `mainnet-beta`, `devnet`, `testnet`, `localnet` or `unknown`. */
export function clusterName(genesisHash: string): string {
  const known = CLUSTERS.get(genesisHash);
  if (known !== undefined) return known;
  const bytes = bs58.decodeUnsafe(genesisHash);
  const tag = Buffer.from(bytes ?? []).subarray(0, LOCALNET_TAG.length);
  return bytes?.length === 32 && tag.equals(LOCALNET_TAG) ? 'localnet' : 'unknown';
}

/** A genesis hash that names a localnet; `random` is 24 bytes. */
export function localnetGenesisHash(random: Uint8Array): string {
  return bs58.encode(Buffer.concat([LOCALNET_TAG, random]));
}

/** The genesis hash of a public cluster; undefined for a localnet, which draws its own. */
export function genesisHashOf(cluster: string): string | undefined {
  return [...CLUSTERS].find(([, name]) => name === cluster)?.[0];
}

/** The mint of USDC on a cluster; undefined where there is no official one. */
export function usdcMintOf(cluster: string): string | undefined {
  return USDC_MINTS.get(cluster);
}
