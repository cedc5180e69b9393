import assert from 'node:assert/strict';
import { toHex } from '../../../core/bytes.ts';
import { envelopeId } from '../../../core/envelopes/header.ts';
import { accusations } from '../../../core/node/watch/watch-records.ts';
import { type SettlementBench, settlementBench } from '../../ledger/settlement-bench.ts';
import { accuse, SharedTime, type StakedAgent, stakedAgent } from './staked-agent.ts';
import { SHORT_EPOCHS } from './support.ts';

const STAKE = 10_000_000n;
/** So many, that their lines fill the logs of a transaction. */
const MEMOS = 45;

describe('the defence of a staked node', function () {
  this.timeout(120_000);
  let bench: SettlementBench;
  let time: SharedTime;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
    time = new SharedTime(bench);
  });
  after(() => bench.close());

  /** An agent whose batch of the last epoch, with so many envelopes, is on the ledger. */
  async function withBatch(count = 3) {
    const agent = await stakedAgent(bench, time);
    const headers = await agent.says(count);
    time.pass(100);
    await agent.duties().submit();
    return { agent, headers };
  }

  function states(agent: StakedAgent) {
    return agent.space.page(accusations).then((rows) => rows.map(({ value }) => [value.id, value.state] as const));
  }

  it('answers an accusation that truncated logs hide', async () => {
    const { agent, headers } = await withBatch();
    const accuser = await bench.wallet(0n);
    await accuse(bench, accuser, headers[1]!, MEMOS);
    assert.equal((await agent.account()).open, 1);
    const node = agent.duties();
    await node.readEvents();
    await node.defend();
    assert.equal((await agent.account()).open, 0);
    assert.deepEqual(agent.alarms.all, []);
    time.pass(1);
    await node.defend();
    assert.deepEqual(await states(agent), [[toHex(envelopeId(headers[1]!)), 'answered']]);
    time.pass(SHORT_EPOCHS.responseSecs + 1);
    const { state, stake } = await agent.account();
    assert.deepEqual([state, stake], ['active', STAKE]);
  });
});
