import assert from 'node:assert/strict';
import bs58 from 'bs58';
import type { Ledger } from '../../core/ledger/ledger.ts';
import { networkParts } from '../../core/ledger/network-parts.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';

const KEYS = [1, 2, 3, 4].map((byte) => bs58.encode(Buffer.alloc(32, byte))) as [string, string, string, string];
const [genesisHash, program, config, other] = KEYS;
const told = { id: 'mine', genesisHash, program, config, epochSecs: 60 };
const ledger = {
  cluster: { name: 'localnet', genesisHash, usdcMint: other },
  settlement: { deployment: { programId: program, config }, numbers: { epochSecs: 60 } },
} as unknown as Ledger;

describe('the network of a mesh', () => {
  it('is its name alone where it settles on no ledger', () => {
    assert.deepEqual(networkParts(undefined, {}), { name: 'localnet', version: 2 });
    const paying = { ...ledger, settlement: undefined } as Ledger;
    assert.deepEqual(networkParts(paying, { id: 'mine' }), { name: 'mine', version: 2 });
  });

  it('contains the deployment, whether the ledger or the settings tell it', () => {
    const parts = networkParts(ledger, { id: 'mine' });
    assert.deepEqual(parts, networkParts(undefined, told));
    assert.deepEqual(parts, networkParts(ledger, told));
    const network = defineNetwork(parts);
    assert.equal(network.epochSecs, 60);
    const without = [
      defineNetwork(networkParts(undefined, { ...told, genesisHash: other })),
      defineNetwork(networkParts(undefined, { ...told, program: other })),
      defineNetwork(networkParts(undefined, { ...told, config: other })),
      defineNetwork(networkParts(undefined, { ...told, id: 'theirs' })),
      defineNetwork(networkParts(undefined, { id: 'mine' })),
    ];
    for (const elsewhere of without) assert.notDeepEqual(elsewhere.id, network.id);
  });

  it('is refused when settings and ledger disagree, or half of it is told', () => {
    for (const [part, wrong] of Object.entries({ genesisHash: other, program: other, config: other, epochSecs: 61 }))
      assert.throws(() => networkParts(ledger, { ...told, [part]: wrong }), {
        message: `network.${part} is not that of the ledger; leave it out`,
      });
    const { config: _, ...half } = told;
    assert.throws(() => networkParts(undefined, half), { message: /belong together/ });
    assert.throws(() => networkParts(undefined, { ...told, config: '1'.repeat(40) }), { message: /no base58 address/ });
  });
});
