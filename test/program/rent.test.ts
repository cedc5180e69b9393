import assert from 'node:assert/strict';
import {
  agentAddress,
  announce,
  approve,
  escrowAddress,
  lockEscrow,
  openAgent,
  refund,
  retract,
} from '../../adapters/ledger-solana/program/index.ts';
import { World } from './support/world.ts';

describe('rent', () => {
  const world = new World();
  const { svm, deployment } = world;

  function open(): { paid: bigint; error: string | undefined } {
    const key = world.wallet();
    const outcome = svm.send([openAgent(deployment, key.address, key.address)], [key]);
    return { paid: svm.lamports(agentAddress(deployment, key.address)), error: outcome.error };
  }

  function setRent(lamportsPerByte: bigint, threshold: number): void {
    const rent = svm.raw.getRent();
    rent.lamportsPerByteYear = lamportsPerByte;
    rent.exemptionThreshold = threshold;
    svm.raw.setRent(rent);
  }

  function withRent(lamportsPerByte: bigint, threshold: number): ReturnType<typeof open> {
    setRent(lamportsPerByte, threshold);
    return open();
  }

  it('is taken from the cluster, in the present form and the older one', () => {
    const size = BigInt(1248 + 128);
    assert.deepEqual(withRent(6960n, 1), { paid: size * 6960n, error: undefined });
    assert.deepEqual(withRent(3480n, 2), { paid: size * 6960n, error: undefined });
    assert.deepEqual(withRent(8000n, 1), { paid: size * 8000n, error: undefined });
    for (const step of [5080n, 2575n, 1n]) {
      assert.deepEqual(withRent(step, 1), { paid: size * step, error: undefined });
    }
    withRent(6960n, 1);
  });

  for (const [what, later] of [
    ['falls', 2575n],
    ['rises', 9000n],
  ] as const)
    it(`comes back whole when what the cluster asks ${what} meanwhile`, () => {
      const [requester, provider, accuser] = [world.wallet(), world.wallet(0n), world.wallet()];
      const [before, mine] = [svm.lamports(requester.address), svm.lamports(accuser.address)];
      const name = { requester: requester.address, provider: provider.address, conversation: Buffer.alloc(16, 3) };
      const times = { deadline: svm.now() + 1_000n, reviewSecs: 200n };
      const terms = { ...name, ...times, amount: 10n, bond: 5n, terms: Buffer.alloc(32, 1), disputeBps: 0 };
      world.do([lockEscrow(deployment, terms)], [requester]);
      const announced = { key: requester.address, id: Buffer.alloc(32, 4), accuser: accuser.address };
      world.do([announce(deployment, announced)], [accuser]);
      setRent(later, 1);
      world.do([approve(deployment, terms)], [requester]);
      world.do([retract(deployment, announced)], [accuser]);
      assert.equal(before - svm.lamports(requester.address), 10_000n);
      assert.equal(mine - svm.lamports(accuser.address), 10_000n);
      world.do([lockEscrow(deployment, terms)], [requester]);
      const held = svm.lamports(escrowAddress(deployment, terms));
      assert.equal(held, later * BigInt(svm.account(escrowAddress(deployment, terms))!.data.length + 128));
      world.do([refund(deployment, terms)], [provider]);
      setRent(6960n, 1);
    });

  it('of a form that is not understood stops creation instead of guessing', () => {
    assert.equal(withRent(6960n, 1.5).error, 'rentUnknown');
    assert.equal(withRent(6960n, 1).error, undefined);
  });
});
