import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FLAGS } from '../../../core/host/config/flags.ts';
import { overridesOfFlags } from '../../../core/host/config/overrides.ts';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { keccak256 } from '../../../core/protocol/envelopes/keccak.ts';
import { defineNetwork } from '../../../core/protocol/identity/network.ts';
import { signDeal, TestAgent } from '../../aggregator/support/agent.ts';

const load = (name: string) => import(pathToFileURL(join(packageRoot, 'plugins/explorer/public', name)).href);
const A = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const B = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';

describe('how the explorer writes', () => {
  let format: any;
  before(async () => {
    format = await load('format.js');
  });

  it('amounts exactly, with two to six decimals', () => {
    for (const [micro, text] of [
      [0, '0.00'],
      [1_500_000, '1.50'],
      [12_345_678, '12.345678'],
      [1_000_100, '1.0001'],
      ['9007199254740993000001', '9,007,199,254,740,993.000001'],
      [-2_500_000, '\u22122.50'],
      [undefined, '\u2013'],
    ])
      assert.equal(format.usdc(micro), text);
    for (const [decimal, text] of [
      [0, '0.00'],
      ['1.5', '1.50'],
      [512.5, '512.50'],
      [1e-7, '0.00'],
      ['1234567.890123', '1,234,567.890123'],
      ['x', '\u2013'],
    ])
      assert.equal(format.amount(decimal), text);
    for (const [decimal, text] of [
      ['342.97646', '342.97'],
      ['1234.999999', '1,234.99'],
      ['0.5', '0.50'],
      [undefined, '\u2013'],
      ['x', '\u2013'],
    ])
      assert.equal(format.estimate(decimal), text);
  });

  it('figures with a true minus, and evidence never above what there is', () => {
    assert.deepEqual([format.points(5), format.points(-3.25, 1), format.points(0)], ['+5', '\u22123.3', '0']);
    assert.deepEqual(
      [format.decimal(-0.001), format.decimal(Number.NaN), format.percent(0.034)],
      ['0.00', '\u2013', '3.4 %'],
    );
    assert.deepEqual([format.atLeast(23.9), format.atLeast(-1.1)], ['23', '\u22122']);
  });

  it('times of UTC: of the last day the time, before it the day, both of what comes', () => {
    const now = Date.parse('2026-01-02T12:00:00Z');
    assert.equal(format.moment('2026-01-02T08:30:01.000Z', now), '08:30:01');
    assert.equal(format.moment('2026-01-01T08:30:01.000Z', now), '2026-01-01');
    assert.equal(format.moment('2026-01-03T08:30:01.000Z', now), '2026-01-03 08:30');
    assert.equal(format.moment('2026-01-02T10:30:01.000+02:00', now), '08:30:01');
    assert.equal(format.fullMoment('2026-01-02T08:30:01.000Z'), '2026-01-02 08:30:01 UTC');
    assert.deepEqual([format.moment('x', now), format.fullMoment(undefined)], ['\u2013', 'time unknown']);
    assert.deepEqual(
      [format.age('2026-01-02T11:03:00Z', now), format.age('2026-01-02T13:00:00Z', now)],
      ['57 min ago', 'in 1 h'],
    );
  });

  it('words of strangers without anything that turns, hides or moves their neighbours', () => {
    assert.equal(format.clean('<img src=x onerror=alert(1)>'), '<img src=x onerror=alert(1)>');
    assert.equal(format.clean('pay\u202egpj.exe'), 'pay\u2426gpj.exe');
    assert.equal(format.clean('a\u200bb\u2066c\ufeffd\u00ade'), 'a\u2426b\u2426c\u2426d\u2426e');
    assert.equal(format.clean('a\u0000b\u001bc\u007fd\u0085e'), 'a\u2400b\u241bc\u2421d\u2426e');
    assert.equal(format.clean(`z${'\u0301'.repeat(50)}`), 'z\u0301\u0301\u0301');
    assert.equal(format.clean('\u{1f469}\u200d\u{1f467} \u200d'), '\u{1f469}\u200d\u{1f467} \u2426');
    assert.equal(format.clean('\u{e0041}\u3164\ue000\ud800'), '\u2426\u2426\u2426\u2426');
    assert.equal(format.clean('one\ntwo\tthree'), 'one two three');
    assert.equal(format.cleanLines('one\r\ntwo\u202e'), 'one\ntwo\u2426');
    assert.equal([...format.cleanName('W'.repeat(64))].length, 32);
    assert.equal(format.cleanName('\u{1d54f}'.repeat(40)), `${'\u{1d54f}'.repeat(31)}\u2026`);
    assert.deepEqual([format.clean(undefined), format.cleanName('  x  ')], ['', 'x']);
  });

  it('ids by six and six letters, or whole in groups of four', () => {
    assert.equal(format.shortId(A), 'FAe4si\u2026UHmhiF');
    assert.equal(format.grouped(A).replaceAll(' ', ''), A);
    assert.equal(format.shortId('short'), 'short');
  });
});

describe('the sentences of the explorer', () => {
  let sentences: any;
  const text = ({ words }: any) =>
    words.map((word: any) => (typeof word === 'string' ? word : (word.name ?? word.agent ?? word.wallet))).join('');
  before(async () => {
    sentences = await load('sentences.js');
  });

  it('say what an agent did', () => {
    const say = (event: object) =>
      text(sentences.activitySentence({ agent_id: A, name: 'x', target_agent_id: B, target_name: 'y', ...event }));
    assert.equal(say({ event_type: 'JOIN' }), 'x joined the mesh');
    assert.equal(say({ event_type: 'ACCEPT' }), 'x agreed with y');
    assert.equal(say({ event_type: 'REJECT' }), 'x declined the offer of y');
    assert.equal(say({ event_type: 'DELIVER' }), 'x delivered to y');
    assert.equal(say({ event_type: 'DISPUTE' }), 'x disputes the delivery of y');
    assert.equal(say({ event_type: 'VERDICT', outcome: 'positive' }), 'x decided on y');
    assert.equal(say({ event_type: 'FEEDBACK', score: 5 }), 'x rated y');
    assert.equal(say({ event_type: 'A_NEW_ONE' }), 'x: A_NEW_ONE');
    assert.equal(text(sentences.activitySentence({ event_type: 'DELIVER', agent_id: A })), `${A} delivered`);
  });

  it('know every event of the settlement program', async () => {
    const source = await readFile(join(packageRoot, 'core/protocol/settlement/events.ts'), 'utf8');
    const facts = source.slice(source.indexOf('export type EventFacts'));
    const names = [...facts.matchAll(/'((?:escrow|agent|lease|stake|unlock|batch|accusation|owner|payee)_\w+)'/g)].map(
      ([, name]) => name!,
    );
    assert.ok(names.length > 20);
    for (const event of names) {
      const said = text(
        sentences.ledgerSentence({ event, requester: A, provider: B, agent_id: A, accuser: B, owner: B }),
      );
      assert.doesNotMatch(said, new RegExp(event), `${event} has no sentence`);
      assert.doesNotMatch(said, /undefined|null|\[object/);
    }
    assert.equal(text(sentences.ledgerSentence({ event: 'gap' })), 'gap');
  });

  it('say the offer of a dispute and what was burnt', () => {
    const escrow = { requester: A, provider: B };
    const say = (event: object) => text(sentences.ledgerSentence({ ...escrow, ...event }));
    assert.equal(say({ event: 'escrow_disputed', offer_bps: 6_000 }), `${A} asks ${B} to take 60 %`);
    assert.equal(say({ event: 'escrow_contested' }), `${B} stands by its work`);
    assert.match(say({ event: 'escrow_split', burnt: 7_500_000 }), /money was burnt$/);
    assert.match(say({ event: 'escrow_split', burnt: 0 }), /^the money was divided/);
  });

  it('make a deal of its steps in whatever order they come', () => {
    const at = (second: number) => `2026-01-01T12:00:0${second}.000Z`;
    const conversation_id = '000102030405060708090a0b0c0d0e0f';
    const activity = [
      { event_type: 'ACCEPT', agent_id: A, target_agent_id: B, conversation_id, created_at: at(1) },
      { event_type: 'DELIVER', agent_id: B, target_agent_id: A, conversation_id, created_at: at(3) },
    ];
    const escrow = { requester: A, provider: B, conversation_id };
    const ledger = [
      { ...escrow, event: 'escrow_locked', amount: 1_500_000, created_at: at(2) },
      { ...escrow, event: 'escrow_approved', amount: 1_500_000, created_at: at(4) },
    ];
    const whole = {
      conversation: conversation_id,
      step: 4,
      at: at(4),
      from: A,
      to: B,
      micro: 1_500_000,
      ended: 'settled',
    };
    assert.deepEqual(sentences.dealsOf(activity, ledger), [whole]);
    assert.deepEqual(sentences.dealsOf([...activity].reverse(), [...ledger].reverse()), [whole]);
    const [open] = sentences.dealsOf(activity.slice(0, 1), ledger.slice(0, 1));
    assert.equal(sentences.dealState(open), 'locked');
    const dispute = { event_type: 'DISPUTE', agent_id: A, target_agent_id: B, conversation_id, created_at: at(4) };
    assert.equal(sentences.dealState(sentences.dealsOf([...activity, dispute], ledger.slice(0, 1))[0]), 'disputed');
    // Without money nothing ends on the ledger: it is done once it was delivered and rated.
    const rating = { event_type: 'FEEDBACK', agent_id: A, target_agent_id: B, conversation_id, created_at: at(4) };
    assert.equal(sentences.dealState(sentences.dealsOf(activity, [])[0]), 'delivered');
    assert.equal(sentences.dealState(sentences.dealsOf([rating, ...activity], [])[0]), 'done');
    assert.equal(sentences.dealState(sentences.dealsOf([rating, ...activity], ledger.slice(0, 1))[0]), 'delivered');
    assert.deepEqual(sentences.dealsOf([rating], []), []);
  });

  it('stand in the order in which a deal goes, though the ledger tells whole seconds', () => {
    const events = [
      { event: 'escrow_locked', created_at: '2026-01-01T12:00:01.000Z' },
      { event_type: 'ACCEPT', created_at: '2026-01-01T12:00:01.400Z' },
      { event: 'escrow_approved', created_at: '2026-01-01T12:00:02.000Z' },
      { event_type: 'DELIVER', created_at: '2026-01-01T12:00:02.300Z' },
    ];
    const names = [...events].sort(sentences.inOrder).map((one: any) => one.event ?? one.event_type);
    assert.deepEqual(names, ['ACCEPT', 'escrow_locked', 'DELIVER', 'escrow_approved']);
  });
});

describe('the command that joins a mesh', () => {
  it('has flags of mesh start, with the values that the aggregator told', async () => {
    const { joinCommand } = await load('join.js');
    for (const name of ['public', "o'mesh $(id)"]) {
      const network = { network_id: name, program: A, config: B };
      const line = joinCommand(network, 'https://hub.example/mesh').replaceAll('\\\n', '');
      const shown = spawnSync('sh', ['-c', `mesh() { for one in "$@"; do printf '%s\\n' "$one"; done; }; ${line}`]);
      const [command, ...argv] = String(shown.stdout).trimEnd().split('\n');
      assert.equal(command, 'start');
      const { overrides, problems } = overridesOfFlags(argv, FLAGS);
      assert.deepEqual(problems, []);
      assert.deepEqual(Object.fromEntries(overrides.map(({ flag, value }) => [flag.key, value])), {
        'agent.name': 'my-agent',
        'mesh.aggregators': ['https://hub.example/mesh'],
        'network.id': name,
        'ledger.rpcUrls': ['RPC_URL'],
        'ledger.program': A,
        'ledger.config': B,
      });
    }
    assert.doesNotMatch(joinCommand({ network_id: 'x' }, 'http://127.0.0.1:1'), /ledger|rpc/);
  });
});

describe('the seals of the explorer', () => {
  it('are those of the design', async () => {
    const seal = await load('seal.js');
    const id = Uint8Array.from({ length: 32 }, (_, index) => index);
    const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
    const { ticks, band } = seal.sealFrame(id);
    assert.equal(seal.hueOf(id), 8);
    assert.deepEqual([digest(seal.smallSeal(id)), digest(ticks + band)], ['75c309f41855e6af', '1838f2e5d5bafee3']);
  });

  it('read the base58 of keys and nothing else', async () => {
    const { base58, base58Text } = await load('seal.js');
    for (const id of [A, B, '1'.repeat(32)]) assert.equal(base58Text(base58(id)), id);
    for (const text of ['', 'abc', `${A}0`, `1${A}`, 'z'.repeat(44), '<script>'])
      assert.equal(base58(text), undefined, text);
  });
});

describe('receipts in the explorer', () => {
  const parts = {
    name: 'explorer-tests',
    genesisHash: new Uint8Array(32).fill(7),
    programId: new Uint8Array(32).fill(8),
    configAddress: new Uint8Array(32).fill(9),
  };
  const network = defineNetwork(parts);
  const epoch_secs = network.epochSecs;
  let verify: any;
  let hash: Uint8Array;
  const [requester, provider] = ['requester', 'provider'].map((name) => new TestAgent(name, Date.now, network)) as [
    TestAgent,
    TestAgent,
  ];
  const deal = signDeal(requester, provider);
  const bytesOf = (wire: { receipt: { receipt_b64: string } }) =>
    new Uint8Array(Buffer.from(wire.receipt.receipt_b64, 'base64'));
  const check = (bytes: Uint8Array, more = {}) =>
    verify.checkReceipt(bytes, { network: { hash, epoch_secs }, ...more });

  before(async () => {
    verify = await load('verify.js');
    const { base58Text } = await load('seal.js');
    hash = await verify.networkHash({
      network_id: parts.name,
      genesis_hash: base58Text(parts.genesisHash),
      program: base58Text(parts.programId),
      config: base58Text(parts.configAddress),
    });
  });

  it('are of the network whose hash the mesh signs', async () => {
    assert.deepEqual(Buffer.from(hash), Buffer.from(network.id));
    const bare = await verify.networkHash({ network_id: 'x' });
    assert.deepEqual(Buffer.from(bare), Buffer.from(defineNetwork({ name: 'x' }).id));
  });

  it('hash as the mesh does', async () => {
    const { keccak256: hashed } = await load('keccak.js');
    for (const length of [0, 1, 32, 135, 136, 137, 272, 1_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
      assert.deepEqual(Buffer.from(hashed(bytes)), Buffer.from(keccak256(bytes)), String(length));
    }
  });

  it('hold when they are what was signed', async () => {
    const beacon = provider.beacon('p');
    for (const wire of [deal.propose, deal.accept, deal.deliver, beacon]) {
      const result = await check(bytesOf(wire), { said: wire.id });
      assert.ok(result.holds, JSON.stringify(result.checks));
      assert.equal(result.id, wire.id);
    }
  });

  it('do not hold with any of their bytes changed, nor longer or shorter', async function () {
    this.timeout(60_000);
    for (const wire of [deal.accept, provider.beacon('p')]) {
      const bytes = bytesOf(wire);
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Uint8Array.from(bytes);
        changed[at]! ^= 1 << (at % 8);
        const { holds, checks } = await check(changed, { said: wire.id });
        assert.equal(holds, false, `byte ${at}`);
        assert.ok(
          checks.some(({ state }: any) => state === 'fails'),
          `byte ${at}`,
        );
      }
      assert.equal((await check(bytes.subarray(0, -1))).holds, false);
      assert.equal((await check(Uint8Array.from([...bytes, 0]))).holds, false);
      assert.equal((await check(new Uint8Array(0))).holds, false);
    }
  });

  it('do not hold for another network, agent, epoch or id', async () => {
    const bytes = bytesOf(deal.accept);
    const other = { hash: defineNetwork({ name: 'another' }).id, epoch_secs };
    assert.equal((await verify.checkReceipt(bytes, { network: other })).holds, false);
    for (const more of [{ agent: requester.id }, { epoch: 1 }, { said: deal.propose.id }])
      assert.equal((await check(bytes, more)).holds, false, JSON.stringify(more));
  });

  it('do not hold under a key with which anybody signs', async () => {
    const bytes = bytesOf(provider.beacon('p'));
    for (const point of [
      '01',
      'ec',
      '00',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    ]) {
      const key = Buffer.alloc(32, point === 'ec' ? 0xff : 0);
      Buffer.from(point, 'hex').copy(key);
      if (point === 'ec') key[31] = 0x7f;
      const forged = Uint8Array.from(bytes);
      forged.set(key, 5);
      const { checks } = await check(forged);
      assert.deepEqual([checks[0].state, checks[2].state], ['holds', 'fails'], point);
    }
  });
});

describe('a call that the documentation makes', () => {
  let command: any;
  before(async () => {
    command = await load('docs/command.js');
  });
  const placed = { method: 'post', path: '/escrow/{id}/approve', operation: {} };
  const valuesOf = (id: string) => ({ path: { id }, query: { deep: 'a b' }, header: {} });

  it('has its values in the path, as they are', () => {
    for (const [id, path] of [
      ['a/b', '/escrow/a%2Fb/approve'],
      ['%2e%2e', '/escrow/%252e%252e/approve'],
      ['...', '/escrow/.../approve'],
    ]) {
      assert.equal(command.targetOf(placed, valuesOf(id!)), `${path}?deep=a+b`);
      assert.equal(new URL(command.targetOf(placed, valuesOf(id!)), 'http://here').pathname, path);
    }
  });

  it('is refused where a value would lead to another route, by the name of the value', () => {
    for (const id of ['.', '..']) {
      assert.throws(() => command.targetOf(placed, valuesOf(id)), /^RangeError: id: \.+ is no value in a path/);
      assert.match(command.commandLine(placed, valuesOf(id)), /^# id: \.+ is no value in a path/);
    }
  });
});
