import assert from 'node:assert/strict';
import { Ledger, RecordedTransactions } from '../../core/internal-services.ts';
import { Money, MoneySteps } from '../../core/node/deals/money-step.ts';
import { isEscrowStepDone } from '../../core/node/escrow/escrow-done.ts';
import { escrowTransaction } from '../../core/node/escrow/escrow-steps.ts';
import { DealBook } from '../../core/node/services/deal-book.ts';
import { escrowName } from '../../core/protocol/deals/agreed-lock.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { nodeSpace } from '../support/space.ts';

const CONVERSATION = 'ab'.repeat(16);
const step = (name: string) => ({ step: name, transaction: `${name}/${CONVERSATION}` });

describe('the money step of a deal', () => {
  const nothing = { find: async () => undefined };
  const underWay = (lapsed = false) => ({
    find: async () => ({ status: 'recorded', signature: 'x', ...(lapsed && { lapsed }) }) as const,
  });

  it('is one, whatever is asked for at the same moment, and is free again when it ends', async () => {
    const steps = new MoneySteps({ space: await nodeSpace(), transactions: nothing });
    let running = 0;
    const run = async () => {
      running += 1;
      await new Promise((done) => setTimeout(done, 20));
      running -= 1;
      return running;
    };
    const names = ['pay', 'lock', 'approve', 'refund'];
    const taken = await Promise.allSettled(names.map((name) => steps.take(CONVERSATION, step(name), run)));
    assert.deepEqual(
      taken.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code)),
      [0, 'conflict', 'conflict', 'conflict'],
    );
    const [, refused] = taken as [unknown, PromiseRejectedResult];
    assert.match(refused.reason.message, /The step pay of this deal is under way, so lock was not begun/);
    assert.deepEqual(refused.reason.details.extra, { running_step: 'pay', allowed_actions: ['pay'] });
    await assert.rejects(
      steps.take(CONVERSATION, step('lock'), async () => Promise.reject(new Error('no'))),
      /no/,
    );
    await steps.take(CONVERSATION, step('approve'), run);
    const other = steps.take('cd'.repeat(16), step('pay'), run);
    await Promise.all([other, steps.take(CONVERSATION, step('pay'), run)]);
  });

  it('is joined by the same one', async () => {
    const steps = new MoneySteps({ space: await nodeSpace(), transactions: nothing });
    let end = () => {};
    const first = steps.take(CONVERSATION, step('pay'), () => new Promise<void>((done) => (end = done)));
    await steps.take(CONVERSATION, step('pay'), async () => undefined);
    await assert.rejects(
      steps.take(CONVERSATION, step('lock'), async () => undefined),
      { code: 'conflict' },
    );
    end();
    await first;
    await steps.take(CONVERSATION, step('lock'), async () => undefined);
  });

  it('stays reserved over a crash while its transaction is under way, and only then', async () => {
    const space = await nodeSpace();
    const crashed = new MoneySteps({ space, transactions: nothing });
    let begun = () => {};
    const begins = new Promise<void>((done) => (begun = done));
    void crashed.take(CONVERSATION, step('pay'), () => new Promise(() => begun()));
    await begins;
    const again = (transactions: object) => new MoneySteps({ space, transactions: transactions as typeof nothing });
    await assert.rejects(
      again(underWay()).take(CONVERSATION, step('lock'), async () => 1),
      { code: 'conflict' },
    );
    // Whether money of its own was sent must be known; the program itself takes one step of those that move the lock.
    await assert.rejects(
      again(underWay(true)).take(CONVERSATION, step('lock'), async () => 1),
      { code: 'conflict' },
    );
    await again(underWay()).sweep(new AbortController().signal);
    assert.deepEqual(await again(underWay()).reserved('pay', 10), [CONVERSATION]);
    assert.equal(await again(underWay()).take(CONVERSATION, step('pay'), async () => 1), 1);
    await again(nothing).sweep(new AbortController().signal);
    assert.deepEqual(await again(nothing).reserved('pay', 10), []);
    void crashed.take(CONVERSATION, step('approve'), () => new Promise(() => {}));
    await happens('it is reserved', async () => (await crashed.reserved('approve', 1)).length || undefined);
    await assert.rejects(
      again(underWay()).take(CONVERSATION, step('refund'), async () => 1),
      { code: 'conflict' },
    );
    assert.equal(await again(underWay(true)).take(CONVERSATION, step('refund'), async () => 1), 1);
  });

  it('on an escrow is done when the account shows it', () => {
    const name = { requester: 'r', provider: 'p', conversation: CONVERSATION };
    const account = (state: string, more: object = {}) =>
      ({ ...name, state, delivery: state === 'locked' ? null : 'd', offerBps: 0, ...more }) as never;
    const cases: [step: object, account: unknown, done: boolean | undefined][] = [
      [{ type: 'lock' }, account('locked'), true],
      [{ type: 'deliver', delivery: 'd' }, account('locked'), false],
      [{ type: 'deliver', delivery: 'd' }, account('disputed'), true],
      [{ type: 'deliver', delivery: 'e' }, account('delivered'), undefined],
      [{ type: 'dispute', offerBps: 10 }, account('delivered'), false],
      [{ type: 'dispute', offerBps: 10 }, account('disputed', { offerBps: 9 }), false],
      [{ type: 'dispute', offerBps: 10 }, account('disputed', { offerBps: 10 }), true],
      [{ type: 'contest', maxBps: 10 }, account('disputed'), false],
      [{ type: 'contest', maxBps: 10 }, account('contested'), true],
      [{ type: 'approve' }, account('delivered'), false],
      [{ type: 'split' }, account('splitting'), undefined],
      [{ type: 'claim' }, undefined, undefined],
    ];
    for (const [one, of, done] of cases)
      assert.equal(isEscrowStepDone({ ...name, ...one } as never, of as never), done, JSON.stringify(one));
  });
});

describe('a deal that two routes move money of at the same moment', function () {
  this.timeout(120_000);
  const PRICE = 1_000_000n;
  const REQUESTER = ['pay', 'lock', 'approve', 'reclaim', 'dispute', 'split'];
  const PROVIDER = ['deliver', 'refund', 'claim', 'contest', 'split'];
  const deals = { partnerStart: '1000000', partnerLimit: '1000000', maxDisputes: 1_000 };
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      usdc: { alice: '1000' },
      // Of these deals many end in a dispute or unfinished.
      own: { alice: { core: { deals } }, bob: { core: { deals } } },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ alice, bob } = mesh.nodes);
  });
  afterEach(() => rpc.heal());
  after(async () => {
    await mesh.stop();
    await rpc.stop();
  });

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const deal = () => accepted(alice, bob, { amount_usdc: '1' });
  const path = (route: string, conversation: string) =>
    route === 'pay' ? `/deals/${conversation}/pay` : `/escrow/${route}`;
  const take = (member: Member, route: string, conversation_id: string): Promise<Answer> =>
    member.post(path(route, conversation_id), route === 'pay' ? undefined : { conversation_id });
  const seen = (event: string) => (one: { history: { event: string }[] }) =>
    one.history.some((entry) => entry.event === event);

  const begun = (route: string, conversation: string) =>
    happens(`${route} has begun`, async () => {
      const reserved = await alice.node.get(Money).reserved(route, 1_000);
      return reserved.includes(conversation) || undefined;
    });
  async function recorded(route: string, conversation: string) {
    const { deal: of } = await alice.node.get(DealBook).get(conversation);
    const name = route === 'pay' ? `pay/${conversation}` : escrowTransaction('lock', escrowName(of));
    return alice.node.get(RecordedTransactions).find(name);
  }

  /** What has left the requester for a deal, and what of it has arrived with the provider or is held by the escrow. */
  async function whereabouts(conversation: string, run: () => Promise<Answer[]>) {
    const before = [await usdcOf(alice), await usdcOf(bob)] as const;
    const answers = await run();
    const { deal: of } = await alice.node.get(DealBook).get(conversation);
    const escrow = await alice.node.get(Ledger).settlement!.escrow(escrowName(of));
    const held = escrow ? escrow.amount + escrow.bond : 0n;
    const left = before[0] - (await usdcOf(alice));
    return { answers, left, got: (await usdcOf(bob)) - before[1], held };
  }

  function check(answers: readonly Answer[], pair: readonly string[]): void {
    for (const { status, body } of answers) {
      if (status === 200) continue;
      assert.ok(status >= 400 && status < 500, `${pair}: ${status} ${JSON.stringify(body)}`);
      assert.ok(body.detail.length > 0);
    }
  }

  it('is paid or locked, never both, in either order and again and again', async () => {
    for (let round = 0; round < 6; round++) {
      const pair = round % 2 === 0 ? (['pay', 'lock'] as const) : (['lock', 'pay'] as const);
      const conversation = await deal();
      const { answers, left, got, held } = await whereabouts(conversation, () =>
        Promise.all(pair.map((route) => take(alice, route, conversation))),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).sort(),
        [200, 409],
        JSON.stringify(answers.map((one) => one.body)),
      );
      const refused = answers.find(({ status }) => status === 409)!.body;
      assert.deepEqual([refused.code, refused.allowed_actions], ['conflict', [refused.running_step]]);
      assert.ok(left === got + held && got <= PRICE && (got === 0n || held === 0n), `${left} ${got} ${held}`);
      const late = await whereabouts(conversation, () =>
        Promise.all(pair.map((route) => take(alice, route, conversation))),
      );
      assert.equal(late.left, 0n);
    }
  });

  it('pays once, for every pair of the steps of either side', async () => {
    const pairs = (routes: readonly string[]) =>
      routes.flatMap((one, index) => routes.slice(index + 1).map((other) => [one, other] as const));
    const turned = ([one, other]: readonly [string, string], index: number) =>
      index % 2 ? [one, other] : [other, one];
    const spending = pairs(REQUESTER).filter(([one]) => one === 'pay' || one === 'lock');
    for (const [index, pair] of spending.entries()) {
      const conversation = await deal();
      const order = turned(pair, index);
      const { answers, left, got, held } = await whereabouts(conversation, () =>
        Promise.all(order.map((route) => take(alice, route, conversation))),
      );
      check(answers, order);
      assert.ok(left === got + held && got <= PRICE && (got === 0n || held === 0n), `${order}: ${left} ${got} ${held}`);
    }
    const locked = [...pairs(['pay', ...PROVIDER]), ...pairs(REQUESTER)].map(async (pair) => {
      const conversation = await deal();
      assert.equal((await take(alice, 'lock', conversation)).status, 200);
      await bob.dealWhen(conversation, seen('locked'));
      return { pair, conversation };
    });
    for (const [index, { pair, conversation }] of (await Promise.all(locked)).entries()) {
      const order = turned(pair, index);
      const before = [await usdcOf(alice), await usdcOf(bob)] as const;
      const sides = order.map((route) => (PROVIDER.includes(route) && route !== 'split' ? bob : alice));
      const { answers } = await whereabouts(conversation, () =>
        Promise.all(order.map((route, at) => take(sides[at]!, route, conversation))),
      );
      check(answers, order);
      const [back, paid] = [(await usdcOf(alice)) - before[0], (await usdcOf(bob)) - before[1]];
      // What was locked goes to one of them; nothing else leaves the requester.
      assert.ok(back >= 0n && paid <= PRICE && back + paid <= 2n * PRICE, `${order}: ${back} ${paid}`);
    }
  });

  it('names the step that runs, in both directions', async () => {
    for (const [first, second] of [
      ['pay', 'lock'],
      ['lock', 'pay'],
      ['pay', 'approve'],
    ] as const) {
      const conversation = await deal();
      rpc.lost.add('sendTransaction');
      const running = take(alice, first, conversation);
      await begun(first, conversation);
      const { body } = await take(alice, second, conversation);
      assert.match(body.detail, new RegExp(`The step ${first} of this deal is under way, so ${second} was not begun`));
      rpc.heal();
      assert.equal((await running).status, 200);
    }
  });

  it('goes on with the same step after a kill, and takes no other meanwhile', async () => {
    for (const [first, second] of [
      ['pay', 'lock'],
      ['lock', 'pay'],
    ] as const) {
      const conversation = await deal();
      const { left, got, held } = await whereabouts(conversation, async () => {
        rpc.lost.add('sendTransaction');
        const running = take(alice, first, conversation).catch(() => undefined);
        await begun(first, conversation);
        await happens('it is recorded', async () => ((await recorded(first, conversation)) ? true : undefined));
        await alice.restart();
        await running;
        const { status, body } = await take(alice, second, conversation);
        assert.deepEqual([status, body.running_step], [409, first], JSON.stringify(body));
        rpc.heal();
        await alice.dealWhen(conversation, seen(first === 'pay' ? 'paid' : 'locked'));
        const late = await take(alice, second, conversation);
        assert.equal(late.status, 409, JSON.stringify(late.body));
        return [late];
      });
      assert.ok(left === got + held && (first === 'pay' ? got === PRICE : got === 0n), `${left} ${got} ${held}`);
    }
  });

  it('leaves nothing reserved when it could not be prepared', async () => {
    const conversation = await deal();
    rpc.answer('simulateTransaction', () => ({ context: { slot: 1 }, value: { err: 'AccountInUse', logs: [] } }));
    assert.equal((await take(alice, 'lock', conversation)).status, 502);
    rpc.heal();
    assert.equal((await take(alice, 'pay', conversation)).status, 200);
  });

  it('is delivered again on the ledger when the account does not show what was confirmed', async () => {
    const conversation = await deal();
    assert.equal((await take(alice, 'lock', conversation)).status, 200);
    await bob.dealWhen(conversation, seen('locked'));
    // The node is told that its transaction was finalised; the ledger never saw it.
    rpc.lost.add('sendTransaction');
    rpc.answer('getSignatureStatuses', () => ({
      context: { slot: 9e9 },
      value: [{ slot: 7, confirmations: null, err: null, confirmationStatus: 'finalized' }],
    }));
    const passed = rpc.passed['getSignatureStatuses'] ?? 0;
    await bob.client.deliver({ conversation_id: conversation, content: '{}', content_type: 'application/json' });
    await happens('it was told so', async () => (rpc.passed['getSignatureStatuses'] ?? 0) > passed || undefined);
    await new Promise((done) => setTimeout(done, 300));
    rpc.heal();
    await alice.dealWhen(conversation, seen('escrow_delivered'));
  });
});
