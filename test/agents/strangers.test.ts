import assert from 'node:assert/strict';
import { StrangerShare } from '../../core/messaging/strangers.ts';

/** A letter of a key and an address of its own. */
function letter(number: number, amount = 1) {
  return { key: `key ${number}`, network: `10.0.${number}.0`, amount };
}

describe('the shares of strangers at several agents', () => {
  it('end where the bound of one agent does, and where that of all together does', () => {
    const share = new StrangerShare(100);
    const agents = Array.from({ length: 20 }, (_, index) => new StrangerShare(10, { share, prefix: `${index} ` }));
    let taken = 0;
    for (const [index, agent] of agents.entries()) {
      for (let i = 0; i < 50; i += 1) {
        const one = letter(index * 50 + i);
        if (agent.problem(one) !== undefined) continue;
        agent.take(`letter ${i}`, one);
        taken += 1;
      }
      assert.ok(agent.names.length <= 10);
    }
    assert.equal(taken, share.names.length);
    assert.equal(taken, 100);
  });

  it('are given back to all when one agent has acknowledged them', () => {
    const share = new StrangerShare(8);
    const [one, other] = ['one ', 'other '].map((prefix) => new StrangerShare(100, { share, prefix }));
    for (let i = 0; i < 8; i += 1) one!.take(`letter ${i}`, letter(i));
    assert.equal(other!.problem(letter(9)), 'all unknown keys');
    one!.free('letter 3');
    assert.equal(other!.problem(letter(9)), undefined);
    other!.take('letter 3', letter(9));
    assert.equal(share.names.length, 8, 'names of two agents are two');
  });

  it('keep a part for others when one address writes to many agents', () => {
    const share = new StrangerShare(100);
    const network = '10.0.0.0';
    for (let i = 0; i < 100; i += 1) {
      const agent = new StrangerShare(100, { share, prefix: `${i} ` });
      const taken = { key: `key ${i}`, network, amount: 1 };
      if (agent.problem(taken) === undefined) agent.take('letter', taken);
    }
    assert.equal(share.names.length, 25);
  });
});
