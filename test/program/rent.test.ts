import assert from 'node:assert/strict';
import { agentAddress, openAgent } from '../../adapters/ledger-solana/program/index.ts';
import { World } from './support/world.ts';

describe('rent', () => {
  const world = new World();
  const { svm, deployment } = world;

  function open(): { paid: bigint; error: string | undefined } {
    const key = world.wallet();
    const outcome = svm.send([openAgent(deployment, key.address, key.address)], [key]);
    return { paid: svm.lamports(agentAddress(deployment, key.address)), error: outcome.error };
  }

  function withRent(lamportsPerByte: bigint, threshold: number): ReturnType<typeof open> {
    const rent = svm.raw.getRent();
    rent.lamportsPerByteYear = lamportsPerByte;
    rent.exemptionThreshold = threshold;
    svm.raw.setRent(rent);
    return open();
  }

  it('is taken from the cluster, in the present form and the older one', () => {
    const size = BigInt(1248 + 128);
    assert.deepEqual(withRent(6960n, 1), { paid: size * 6960n, error: undefined });
    assert.deepEqual(withRent(3480n, 2), { paid: size * 6960n, error: undefined });
    assert.deepEqual(withRent(8000n, 1), { paid: size * 8000n, error: undefined });
  });

  it('of a form that is not understood stops creation instead of guessing', () => {
    assert.equal(withRent(6960n, 1.5).error, 'rentUnknown');
    assert.equal(withRent(6960n, 1).error, undefined);
  });
});
