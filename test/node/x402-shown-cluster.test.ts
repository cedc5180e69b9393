import assert from 'node:assert/strict';
import { clusterName, localnetGenesisHash } from '../../core/ledger/clusters.ts';
import { networkNames } from '../../core/node/x402/offer.ts';
import { shownCluster } from '../../core/node/x402/shown-cluster.ts';

describe('the cluster that offers of x402 name', () => {
  const genesisHash = localnetGenesisHash(Buffer.alloc(24, 7));
  const localnet = { name: clusterName(genesisHash), genesisHash, usdcMint: 'mint' };

  it('is that of the ledger', () => {
    assert.deepEqual(networkNames(shownCluster(localnet, {})), [
      `solana:${genesisHash.slice(0, 32)}`,
      'solana-localnet',
    ]);
  });

  it('is devnet for a localnet that goes by its name, with the USDC of the localnet', () => {
    const shown = shownCluster(localnet, { x402As: 'devnet' });
    assert.deepEqual(networkNames(shown), ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet']);
    assert.equal(shown.usdcMint, 'mint');
  });

  it('is no other where the ledger is of a public cluster: the start stops with the setting', () => {
    const mainnet = { ...localnet, name: 'mainnet-beta' };
    assert.throws(() => shownCluster(mainnet, { x402As: 'devnet' }), /core\.wallet\.x402As is for a localnet/);
  });
});
