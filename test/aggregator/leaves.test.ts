import assert from 'node:assert/strict';
import { Identity, Ledger, Network } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { outcomeError } from '../../core/ledger/refusal.ts';
import { toHex } from '../../core/platform/bytes.ts';
import { signLeafList } from '../../core/protocol/batches/leaf-list.ts';
import { encodeHeader } from '../../core/protocol/envelopes/header.ts';
import type { Network as NetworkValue } from '../../core/protocol/identity/network.ts';
import type { SettlementStep } from '../../core/protocol/settlement/steps.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { TestAgent, type Wire } from './support/agent.ts';

const SOL = 1_000_000_000n;
const USDC = 1_000_000n;
const EPOCH = 86_400;

describe('leaf lists at an aggregator', function () {
  this.timeout(60_000);
  const clock = new BriskClock();
  let mesh: Mesh<never>;
  let network: NetworkValue;
  let agent: TestAgent;
  let epoch: number;
  let signed: Wire[];

  before(async () => {
    mesh = await startMesh({ nodes: [], usdc: {}, clock });
    network = mesh.aggregatorNode.get(Network);
    agent = await funded('batching');
    const stake = { key: agent.id, stakeOwner: agent.id, amount: 10n * USDC, payments: 0 };
    await take({ type: 'add_stake', ...stake }, agent);
    advance(EPOCH);
    epoch = currentEpoch();
    signed = ['one', 'two', 'three'].map((name) => agent.beacon(name));
    await ingest(signed[0]!, signed[1]!);
    advance(EPOCH);
    await settled(async () => (await read(`/agents/${agent.id}/stake`)).duties === true);
  });
  after(() => mesh?.stop());

  function advance(seconds: number): void {
    clock.shift(seconds * 1000);
    mesh.localnet.warp({ seconds });
  }

  function currentEpoch(): number {
    return Math.floor(clock.now() / 1000 / EPOCH);
  }

  async function funded(name: string): Promise<TestAgent> {
    const made = new TestAgent(name, () => clock.now(), network);
    await mesh.localnet.faucet.sol(made.id, SOL);
    await mesh.localnet.faucet.usdc(made.id, 100n * USDC);
    return made;
  }

  async function take(step: SettlementStep, by: TestAgent): Promise<void> {
    const ledger = mesh.aggregatorNode.get(Ledger);
    const outcome = await ledger.submit(await ledger.settlement!.prepare(step, [ledgerSigner(by.identity)]));
    if (outcome.status !== 'confirmed') throw outcomeError(outcome);
  }

  async function ingest(...wires: Wire[]): Promise<void> {
    const body = JSON.stringify({ items: wires.map(({ whole }) => whole) });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${mesh.aggregatorNode.url}/ingest/envelopes`, { method: 'POST', headers, body });
    assert.equal(response.status, 200);
  }

  const get = (path: string) => fetch(mesh.aggregatorNode.url + path);
  const read = async (path: string): Promise<any> => (await get(path)).json();
  const settled = (check: () => Promise<boolean>) => happens('it', async () => (await check()) || undefined);

  function listOf(wires: readonly Wire[], of = agent, at = epoch) {
    const leaves = new Uint8Array(Buffer.from(wires.map(({ id }) => id).join(''), 'hex'));
    return signLeafList(at, leaves, of.identity, network);
  }

  async function handIn(
    list: ReturnType<typeof listOf>,
    key = agent.id,
    at: number | string = epoch,
    signature?: string,
  ) {
    const path = `/epochs/${key}/${at}/leaves?signature=${signature ?? toHex(list.signature)}`;
    const response = await fetch(mesh.aggregatorNode.url + path, { method: 'PUT', body: list.leaves });
    return { status: response.status, body: (await response.json()) as any };
  }

  it('are taken from the key they are of, and served as they came', async () => {
    const list = listOf(signed);
    const { status, body } = await handIn(list);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.agent_id, body.epoch, body.count, body.root], [agent.id, epoch, 3, toHex(list.root)]);
    assert.deepEqual(await read(`/epochs/${agent.id}/${epoch}`), body);
    const leaves = new Uint8Array(await (await get(`/epochs/${agent.id}/${epoch}/leaves`)).arrayBuffer());
    assert.deepEqual(leaves, list.leaves);
    assert.deepEqual(await handIn(list), { status, body });
  });

  it('come beside what was seen of the epoch', async () => {
    const seen = await read(`/epochs/${agent.id}/${epoch}/envelopes`);
    assert.deepEqual(
      seen.map(({ seq, leaf_hash }: any) => [seq, leaf_hash]),
      [
        [1, signed[0]!.id],
        [2, signed[1]!.id],
      ],
    );
    assert.equal(seen[0].bytes_b64, signed[0]!.receipt.receipt_b64);
    const rest = await read(`/epochs/${agent.id}/${epoch}/envelopes?after=1&limit=1`);
    assert.deepEqual(
      rest.map(({ seq }: any) => seq),
      [2],
    );
  });

  it('are refused with the field that is wrong', async () => {
    const stranger = await funded('never staked');
    const list = listOf(signed);
    const cases: [Promise<{ status: number; body: any }>, number, string, string?][] = [
      [handIn(listOf(signed, stranger), stranger.id), 403, 'forbidden'],
      [handIn(listOf(signed, stranger)), 400, 'invalid_request', '/signature'],
      [handIn(listOf(signed, agent, epoch + 1), agent.id, epoch), 400, 'invalid_request', '/signature'],
      [handIn(listOf(signed, agent, epoch + 9), agent.id, epoch + 9), 400, 'invalid_request', '/epoch'],
      [handIn(listOf(signed, agent, epoch - 30), agent.id, epoch - 30), 400, 'invalid_request', '/epoch'],
      [handIn(list, agent.id, 'yesterday'), 400, 'invalid_request', '/epoch'],
      [handIn(list, agent.id, epoch, 'ab'), 400, 'invalid_request', '/signature'],
      [handIn({ ...list, leaves: list.leaves.subarray(1) }), 400, 'invalid_request'],
      [handIn({ ...list, leaves: new Uint8Array(65_537 * 32) }), 413, 'payload_too_large'],
    ];
    for (const [call, status, code, pointer] of cases) {
      const { body, ...answer } = await call;
      assert.deepEqual([answer.status, body.code], [status, code], body.detail);
      if (pointer) assert.equal(body.errors?.[0]?.pointer ?? body.fields?.[0]?.pointer, pointer, JSON.stringify(body));
    }
    for (const path of [`/epochs/${agent.id}/1`, `/epochs/${agent.id}/1/leaves`])
      assert.equal((await get(path)).status, 404);
    assert.deepEqual(await read(`/epochs/${stranger.id}/${epoch}/envelopes`), []);
  });

  it('answer an accusation without their agent', async () => {
    const list = listOf(signed);
    await mesh.localnet.faucet.sol(aggregatorKey(), SOL);
    const root = toHex(list.root);
    await take({ type: 'submit_batch', key: agent.id, epoch, count: 3, root }, agent);
    const accuser = await funded('accuser');
    const { envelope } = signed[2]!;
    const proof = { header: encodeHeader(envelope), signature: envelope.signature };
    await take({ type: 'announce', key: agent.id, id: signed[2]!.id }, accuser);
    mesh.localnet.warp({ slots: 1_000 });
    await take({ type: 'accuse', key: agent.id, ...proof }, accuser);
    await settled(async () =>
      (await read(`/ledger/events?agent_id=${agent.id}`)).some(({ event }: any) => event === 'accusation_answered'),
    );
    const [answered] = await read(`/ledger/events?agent_id=${agent.id}&limit=1`);
    assert.deepEqual([answered.event, answered.answerer], ['accusation_answered', aggregatorKey()]);
    await settled(async () => (await read(`/agents/${agent.id}/stake`)).open_accusations === 0);
    const stake = await read(`/agents/${agent.id}/stake`);
    assert.deepEqual([stake.state, stake.stake_usdc, stake.batches.at(-1).root], ['active', 10, root]);
    const required = await read(`/stake/required/${agent.id}`);
    assert.deepEqual([required.required_stake_usdc, required.stake_usdc, required.deficit_usdc], [10, 10, 0]);
  });

  it('that the ledger confirms are replaced by no other', async () => {
    const other = listOf([...signed, agent.beacon('later')]);
    const { status, body } = await handIn(other);
    assert.deepEqual([status, body.count], [200, 3]);
  });

  function aggregatorKey(): string {
    return mesh.aggregatorNode.get(Identity).address;
  }
});
