import assert from 'node:assert/strict';
import { Pages } from '../../core/aggregator/pages.ts';
import { agents, newAgent } from '../../core/aggregator/store/agents.ts';
import { type Domain, openDomain } from './support/domain.ts';

describe('pages that are kept', () => {
  let domain: Domain;
  let made: number;
  async function make(): Promise<string> {
    made += 1;
    return `page ${made}`;
  }

  beforeEach(async () => {
    domain = await openDomain();
    made = 0;
  });
  afterEach(() => domain.store.close());

  it('are made again when anything has been committed, and in another epoch', async () => {
    const pages = new Pages<string>(domain.space);
    assert.deepEqual([await pages.of('a', 1, make), await pages.of('a', 1, make)], ['page 1', 'page 1']);
    assert.equal(await pages.of('b', 1, make), 'page 2');
    await domain.space.put(agents.ref('x'), newAgent('11111111111111111111111111111112', 0, 1));
    assert.equal(await pages.of('a', 1, make), 'page 3');
    assert.equal(await pages.of('a', 2, make), 'page 4');
  });

  it('are not kept when making one failed, or when other processes write too', async () => {
    const pages = new Pages<string>(domain.space);
    await assert.rejects(
      pages.of('a', 1, async () => Promise.reject(new Error('no'))),
      { message: 'no' },
    );
    assert.equal(await pages.of('a', 1, make), 'page 1');
    const shared = new Pages<string>({ changes: undefined });
    assert.deepEqual([await shared.of('a', 1, make), await shared.of('a', 1, make)], ['page 2', 'page 3']);
  });
});
