import assert from 'node:assert/strict';
import { clusterName, localnetGenesisHash, usdcMintOf } from '../../core/ledger/clusters.ts';

describe('cluster names', () => {
  it('come from the genesis hash', () => {
    const cases = [
      ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet-beta'],
      ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
      ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
      [localnetGenesisHash(new Uint8Array(24)), 'localnet'],
      [localnetGenesisHash(new Uint8Array(24).fill(255)), 'localnet'],
      [localnetGenesisHash(new Uint8Array(23)), 'unknown'],
      ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNZ', 'unknown'],
      ['not base58', 'unknown'],
      ['', 'unknown'],
      ['constructor', 'unknown'],
    ] as const;
    for (const [hash, name] of cases) assert.equal(clusterName(hash), name);
  });

  it('tell which USDC is the official one', () => {
    assert.equal(usdcMintOf('mainnet-beta'), 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
    assert.equal(usdcMintOf('devnet'), usdcMintOf('localnet'));
    assert.equal(usdcMintOf('testnet'), undefined);
  });
});
