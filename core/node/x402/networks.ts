import type { Cluster } from '../../ledger/ledger.ts';

/** The names of clusters in version 1 of x402. */
const PLAIN: Readonly<Record<string, string>> = {
  'mainnet-beta': 'solana',
  devnet: 'solana-devnet',
  testnet: 'solana-testnet',
  localnet: 'solana-localnet',
};
/** CAIP-2 keeps so much of the genesis hash. */
const CAIP_LENGTH = 32;

/** The names by which offers of x402 mean this cluster: that of version 2, which is CAIP-2, and that of version 1. */
export function networkNames({ name, genesisHash }: Pick<Cluster, 'name' | 'genesisHash'>): readonly string[] {
  const plain = PLAIN[name];
  return [`solana:${genesisHash.slice(0, CAIP_LENGTH)}`, ...(plain === undefined ? [] : [plain])];
}
