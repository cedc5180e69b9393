import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openSolanaLedger } from '../../../adapters/ledger-solana/ledger.ts';
import { MeshError } from '../../../core/contracts/errors.ts';
import type { Ledger, Signer } from '../../../core/ledger/ledger.ts';
import { accusations } from '../../../core/node/watch/watch-records.ts';
import { toHex } from '../../../core/platform/bytes.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { signLeafList } from '../../../core/protocol/batches/leaf-list.ts';
import { buildEnvelope } from '../../../core/protocol/envelopes/build.ts';
import { nonceOf } from '../../../core/protocol/envelopes/epochs.ts';
import { envelopeId } from '../../../core/protocol/envelopes/header.ts';
import type { SettlementStep } from '../../../core/protocol/settlement/steps.ts';
import { NETWORK, type SettlementBench, settlementBench } from '../../ledger/settlement-bench.ts';
import { RpcProxy } from '../../support/rpc-proxy.ts';
import { accuse, networkOf, SharedTime, type StakedAgent, stakedAgent } from './staked-agent.ts';
import { SHORT_EPOCHS } from './support.ts';

const STAKE = 10_000_000n;
/** So many, that their lines fill the logs of a transaction. */
const MEMOS = 45;
/** Bytes of the account of an accusation. */
const ACCUSATION = 216;

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
    const charge = { key: agent.key, id: toHex(envelopeId(headers[1]!)), accuser: accuser.address } as const;
    await assert.rejects(bench.take({ type: 'convict', ...charge }, accuser), { code: 'not_found' });
    const { state, stake } = await agent.account();
    assert.deepEqual([state, stake], ['active', STAKE]);
  });

  it('answers accusations that no event tells of, of any batch that can be accused', async () => {
    const agent = await stakedAgent(bench, time);
    const first = await agent.says(130);
    time.pass(100);
    await agent.duties().submit();
    const second = await agent.says(3);
    time.pass(100);
    await agent.duties().submit();
    const accuser = await bench.wallet(0n);
    for (const header of [first[0]!, first[129]!, second[2]!]) await accuse(bench, accuser, header);
    const node = agent.duties();
    await node.defend();
    assert.equal((await agent.account()).open, 0);
    assert.deepEqual(agent.alarms.all, []);
  });

  it('answers again when a header that was answered is accused again', async () => {
    const { agent, headers } = await withBatch();
    const accuser = await bench.wallet(0n);
    const node = agent.duties();
    for (let time_ = 0; time_ < 3; time_++) {
      await accuse(bench, accuser, headers[0]!);
      if (time_ !== 1) await node.readEvents();
      await node.defend();
      assert.equal((await agent.account()).open, 0, `accused for the ${time_ + 1}. time`);
      time.pass(1);
      await node.defend();
    }
    assert.deepEqual(await states(agent), [[toHex(envelopeId(headers[0]!)), 'answered']]);
  });

  it('answers with the accuser of the account, whatever was recorded', async () => {
    const { agent, headers } = await withBatch();
    const accuser = await bench.wallet(0n);
    await accuse(bench, accuser, headers[0]!);
    const node = agent.duties();
    await node.readEvents();
    const [row] = await agent.space.page(accusations);
    const another = await bench.wallet(0n, 0n);
    await agent.space.put(accusations.ref(row!.id), { ...row!.value, accuser: another.address });
    await node.defend();
    assert.equal((await agent.account()).open, 0);
  });

  it('goes on when one accusation cannot be answered, and says what is to be done', async () => {
    const { agent, headers } = await withBatch(4);
    const accuser = await bench.wallet(0n);
    for (const header of headers) await accuse(bench, accuser, header);
    const id = toHex(envelopeId(headers[0]!));
    const broken = new Proxy(bench.settlement, {
      get(of, name) {
        if (name !== 'prepare') return Reflect.get(of, name);
        return async (step: SettlementStep, signers: readonly [Signer, ...Signer[]]) => {
          if (step.type === 'answer' && step.id === id) throw new MeshError('upstream_failed', 'The RPC is broken.');
          return of.prepare(step, signers);
        };
      },
    });
    await assert.rejects(agent.duties(broken).defend(), /The RPC is broken/);
    assert.equal((await agent.account()).open, 1);
    assert.match(
      agent.alarms.all.join(),
      new RegExp(`${id} could not be answered: The RPC is broken.*Without an answer by`),
    );
    await agent.duties().defend();
    assert.equal((await agent.account()).open, 0);
    assert.deepEqual(agent.alarms.all, []);
  });

  it('answers for a node whose disk was lost with the leaves that aggregators keep', async () => {
    const { agent, headers } = await withBatch();
    await agent.forgets();
    const accuser = await bench.wallet(0n);
    await accuse(bench, accuser, headers[2]!, MEMOS);
    await agent.duties().defend();
    assert.equal((await agent.account()).open, 0);
  });

  it('says so when it does not know what it is accused of, and goes on looking', async () => {
    const { agent, headers } = await withBatch();
    await agent.forgets();
    const lists = agent.keeper.lists.splice(0);
    await accuse(bench, await bench.wallet(0n), headers[2]!);
    const node = agent.duties();
    await node.defend();
    const warning = /counts 1 open accusations of this agent, and this node does not know 1 of them.*none of epoch \d+/;
    assert.match(agent.alarms.all.join(), warning);
    const { asked } = agent.keeper;
    for (let look = 0; look < 5; look++) await node.defend();
    assert.equal(agent.keeper.asked, asked, 'it rests between two searches');
    agent.keeper.lists.push(...lists);
    time.pass(SHORT_EPOCHS.responseSecs / 20);
    await node.defend();
    assert.equal((await agent.account()).open, 0);
    time.pass(1);
    await node.defend();
    assert.deepEqual(agent.alarms.all, []);
  });

  it('searches the batch of a busy epoch in steps, goes on after a restart, and finds the accused leaf', async () => {
    const agent = await stakedAgent(bench, time);
    const { key, identity, signer } = agent;
    const { epoch } = await bench.settlement.time();
    const at = 9_000;
    const fields = {
      msgType: 'ADVERTISE',
      timestamp: epoch * 100_000_000,
      blockRef: 0,
      body: Buffer.from('{}'),
    } as const;
    const header = buildEnvelope({ ...fields, nonce: nonceOf(epoch, at) }, identity, networkOf(bench));
    const leaves = new Uint8Array(randomBytes(12_000 * 32));
    leaves.set(envelopeId(header), (at - 1) * 32);
    const list = signLeafList(epoch, leaves, identity, networkOf(bench));
    agent.keeper.lists.push(list);
    time.pass(100);
    const { count } = list;
    await bench.take({ type: 'submit_batch', key, epoch, count, root: toHex(list.root) }, signer);
    await accuse(bench, await bench.wallet(0n), header);
    await agent.duties().defend();
    assert.equal((await agent.account()).open, 1);
    assert.match(agent.alarms.all.join(), /does not know 1 of them\. It searches the leaves of its batches/);
    await agent.duties().defend();
    assert.equal((await agent.account()).open, 0);
    assert.deepEqual(agent.alarms.all, []);
  });

  describe('on a ledger whose node lags behind', () => {
    let proxy: RpcProxy;
    let ledger: Ledger;
    before(async () => {
      proxy = await RpcProxy.start();
      proxy.target = bench.net.url;
      const { program: programId, config } = bench.net.settlement;
      const settlement = { programId, config, networkId: NETWORK };
      ledger = await openSolanaLedger({ url: proxy.url, settlement, log: silentLog, clock: systemClock });
    });
    after(async () => {
      await ledger.close();
      await proxy.stop();
    });
    afterEach(() => {
      proxy.rewrite = undefined;
    });

    /** From now on no accusation is seen; the slot at which that was so may be forged. */
    function freeze(slots: 'honest' | 'forged'): void {
      let before: number | undefined;
      proxy.rewrite = ({ method }, answer) => {
        if (method !== 'getMultipleAccounts' || answer.error) return answer;
        const { context, value } = answer.result;
        before ??= context.slot - 100;
        const isAccusation = (account: any) => account && Buffer.from(account.data[0], 'base64').length === ACCUSATION;
        const shown = value.map((account: any) => (isAccusation(account) ? null : account));
        const slot = slots === 'honest' ? before : context.slot;
        return { ...answer, result: { context: { ...context, slot }, value: shown } };
      };
    }

    for (const slots of ['honest', 'forged'] as const) {
      it(`drops no accusation because of an old answer (its slot is ${slots})`, async () => {
        const { agent, headers } = await withBatch();
        const node = agent.duties(ledger.settlement, ledger);
        await accuse(bench, await bench.wallet(0n), headers[0]!);
        await node.readEvents();
        time.pass(1);
        freeze(slots);
        await node.defend().catch((error) => assert.match(error.message, /before slot/));
        assert.deepEqual(await states(agent), [[toHex(envelopeId(headers[0]!)), 'open']]);
        proxy.rewrite = undefined;
        await node.defend();
        assert.equal((await agent.account()).open, 0);
      });
    }
  });
});
