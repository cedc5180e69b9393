import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { lineOf } from '../../core/aggregator/evidence/document.ts';
import { EvidenceJournal, saidIn } from '../../core/aggregator/evidence/journal.ts';
import { verifyEvidence } from '../../core/aggregator/evidence/verify.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { evidence, evidenceStateRef } from '../../core/aggregator/store/evidence.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { openStore } from '../../core/storage/store.ts';
import { mesh as command } from '../cli/terminal.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { network, signDeal, TestAgent } from './support/agent.ts';
import { openDomain } from './support/domain.ts';

const SEED = new Uint8Array(32).fill(7);
const ANCHOR = identityFromSeed(SEED).address;
const contracts = loadContracts();

/** Offline: a store in memory, and nothing else. */
function verified(text: string) {
  return verifyEvidence(text, async (clock) => {
    const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
    return (await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate })).space(SPACE);
  });
}

describe('the journal of evidence', () => {
  const stateOf = async (keep: readonly boolean[], isEmpty: boolean) => {
    const { space, take, clock } = await openDomain();
    const wire = new TestAgent('early', () => clock.now()).beacon('early');
    if (!isEmpty) await take(wire);
    for (const one of keep) await EvidenceJournal.open(space, one);
    return space.get(evidenceStateRef);
  };

  it('is complete from an empty store on, over restarts, and not when it was begun late or paused', async () => {
    assert.deepEqual(await stateOf([true, true], true), { complete: true });
    assert.deepEqual(await stateOf([true], false), { complete: false, reason: 'it was begun late' });
    const paused = { complete: false, reason: 'it was switched off for a time' };
    assert.deepEqual(await stateOf([true, false, true], true), paused);
    assert.equal(await stateOf([false], true), undefined);
  });

  it('keeps private envelopes as their receipts, and nothing while it is off', async () => {
    for (const isOn of [true, false]) {
      const { space, clock, take } = await openDomain(network, {}, isOn);
      const [payer, worker] = ['payer', 'worker'].map((name) => new TestAgent(name, () => clock.now()));
      assert.deepEqual(await take(signDeal(payer!, worker!, clock.now()).propose), ['accepted']);
      const kept = await space.page(evidence, { after: 0, limit: 10 });
      assert.equal(kept.length, isOn ? 1 : 0);
      if (isOn) assert.equal(saidIn<'item'>(kept[0]!.record).form, 'receipt');
    }
  });
});

describe('the evidence of a score', function () {
  this.timeout(180_000);
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let all: Member[];
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-evidence-'));
    const keyFile = join(folder, 'anchor.key');
    await writeFile(keyFile, SEED, { mode: 0o600 });
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'carol'],
      usdc: { alice: '100', bob: '20', carol: '5' },
      own: {
        alice: { agent: { name: 'alice', keyFile } },
        aggregator: { core: { evidence: { keep: true }, reputation: { anchors: [ANCHOR] } } },
      },
    });
    const { alice, bob, carol } = mesh.nodes;
    all = [alice, bob, carol];
    assert.equal(alice.id, ANCHOR);
    await paid(alice, bob, '20', 80);
    await paid(alice, carol, '3', -40);
    await paid(bob, carol, '5', 95);
    await paid(bob, alice, '0', 60);
    await scored();
  });
  after(async () => {
    await mesh?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A deal that ends, by an escrow where money is in it, and that both rate. */
  async function paid(requester: Member, provider: Member, amount_usdc: string, score: number): Promise<void> {
    const isFree = amount_usdc === '0';
    const conversation_id = await accepted(requester, provider, { amount_usdc, ...(isFree && { escrow: false }) });
    if (!isFree) assert.equal((await requester.post('/escrow/lock', { conversation_id })).status, 200);
    await provider.client.deliver({ conversation_id, content: '{"words":3}', content_type: 'application/json' });
    await requester.dealWhen(conversation_id, (deal) => deal.state === 'delivered' || deal.state === 'settled');
    if (!isFree) assert.equal((await requester.post('/escrow/approve', { conversation_id })).status, 200);
    for (const [from, about, said] of [[requester, provider, score] as const, [provider, requester, 70] as const]) {
      const body = { conversation_id, target_agent: about.id, score: said };
      const rated = await happens('a rating', async () => {
        const answer = await from.post('/feedback', body);
        return answer.status < 300 ? answer : undefined;
      });
      assert.ok(rated.status < 300, JSON.stringify(rated.body));
    }
  }

  const read = async (path: string) => (await fetch(mesh.aggregatorNode.url + path)).json() as Promise<any>;
  async function scored(): Promise<void> {
    await happens('all is counted', async () => {
      const stats = await read('/stats/network');
      return stats.interaction_count === 8 && stats.volume_usdc === 28 ? stats : undefined;
    });
    // A run of the job that began after the last fact.
    await happens('all is scored', async () => {
      const text = await evidenceOf(all[0]!);
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const newest = Math.max(...lines.slice(1).map(({ at }) => at));
      return lines[0].as_of > newest ? true : undefined;
    });
  }
  async function evidenceOf(member: Member, limit = 5_000): Promise<string> {
    let text = '';
    for (let after: number | null = 0; after !== null; ) {
      const path = `/reputation/${member.id}/evidence?after=${after}&limit=${limit}`;
      const response: Response = await fetch(mesh.aggregatorNode.url + path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type')!, /^application\/x-ndjson/);
      const page: string = await response.text();
      text += page;
      after = JSON.parse(page.slice(0, page.indexOf('\n'))).next;
    }
    return text;
  }

  it('is enough for a stranger to count every score again, to the digit', async () => {
    const scores = [];
    for (const member of all) {
      const found = await verified(await evidenceOf(member));
      const { score } = await read(`/reputation/${member.id}`);
      assert.deepEqual(found.faults, []);
      assert.deepEqual([found.counted.score, found.claimed], [score, found.counted]);
      assert.ok(found.signed >= 20 && found.of_the_ledger >= 9, JSON.stringify(found));
      assert.ok(found.transactions.length >= 6);
      scores.push(score);
    }
    assert.ok(scores[1] > 50 && new Set(scores).size === 3, `no two scores are the same: ${scores}`);
  });

  it('comes in pages that make the same file, and says when one is missing', async () => {
    const pages = await evidenceOf(all[1]!, 7);
    const found = await verified(pages);
    assert.deepEqual(found.faults, []);
    const lines = pages.trim().split('\n');
    const heads = lines.flatMap((line, index) => (line.includes('"type":"head"') ? [index] : []));
    assert.ok(heads.length > 3);
    const without = [...lines.slice(0, heads[1]), ...lines.slice(heads[2])].join('\n');
    assert.match((await verified(without)).faults.join(), /is entry 15, and entry 8 should stand here/);
    assert.match((await verified(lines.slice(0, heads[1]).join('\n'))).faults.join(), /ends before the last page/);
  });

  it('names the line with a flipped byte', async () => {
    const text = await evidenceOf(all[1]!);
    const bytes = Buffer.from(text);
    const starts = [0, ...[...bytes.keys()].filter((index) => bytes[index] === 10).map((index) => index + 1)];
    for (let line = 1; line < starts.length - 1; line += 3) {
      const flipped = Buffer.from(bytes);
      const at = Math.floor((starts[line]! + starts[line + 1]!) / 2);
      flipped[at] = flipped[at]! ^ 1;
      const { faults } = await verified(flipped.toString());
      assert.ok(faults[0]!.startsWith(`line ${line + 1} `), `line ${line + 1}: ${faults}`);
    }
  });

  it('holds by signatures, whoever writes the digests', async () => {
    const lines = (await evidenceOf(all[1]!)).trim().split('\n');
    const rewritten = (index: number, change: (value: any) => void) => {
      const { digest: _, ...value } = JSON.parse(lines[index]!);
      change(value);
      return lines.map((line, place) => (place === index ? lineOf(value).trim() : line)).join('\n');
    };
    let tried = 0;
    for (const [index, line] of lines.entries()) {
      if (!line.includes('"kind":"item"') || tried >= 6) continue;
      tried += 1;
      const forged = rewritten(index, (value) => {
        const said = JSON.parse(value.text);
        const bytes = Buffer.from(said.bytes_b64, 'base64');
        bytes[bytes.length - 5] = bytes[bytes.length - 5]! ^ 1;
        value.text = JSON.stringify({ ...said, bytes_b64: bytes.toString('base64') });
      });
      const { faults } = await verified(forged);
      assert.match(faults[0]!, new RegExp(`^line ${index + 1} is an? (receipt|envelope) that cannot count`));
    }
    assert.equal(tried, 6);
    const better = rewritten(0, (head) => {
      head.score += 1;
    });
    assert.match((await verified(better)).faults.join(), /the score of .* is \d+ .*, and not \d+/);
    const elsewhere = rewritten(0, (head) => {
      head.network.network_id = 'another';
    });
    assert.match((await verified(elsewhere)).faults[0]!, /the signature is not of its sender/);
  });

  it('names every transaction that it counts, however the file writes them', async () => {
    const lines = (await evidenceOf(all[1]!)).trim().split('\n');
    const honest = await verified(lines.join('\n'));
    const values = lines.map((line) => {
      const { digest: _, ...value } = JSON.parse(line);
      return value;
    });
    const ledger = values.filter(({ kind }) => kind === 'event' || kind === 'escrow');
    for (const { text } of ledger) {
      const [, signature] = /"signature":"([1-9A-HJ-NP-Za-km-z]{64,88})"/.exec(text)!;
      assert.ok(honest.transactions.includes(signature!), text);
    }
    const hidden = values.map((value) =>
      value.kind === 'event' ? { ...value, text: value.text.replace('"signature"', '"s\\u0069gnature"') } : value,
    );
    assert.deepEqual((await verified(hidden.map(lineOf).join(''))).transactions, honest.transactions);
    const nameless = values.map((value) =>
      value.kind === 'event'
        ? { ...value, text: value.text.replace(/"signature":"\w+"/, '"signature":"none"') }
        : value,
    );
    assert.match((await verified(nameless.map(lineOf).join(''))).faults[0]!, /^line \d+ names no transaction/);
  });

  it('is refused with a reason when its members are of another kind', async () => {
    const lines = (await evidenceOf(all[1]!)).trim().split('\n');
    const { digest: _, ...head } = JSON.parse(lines[0]!);
    for (const change of [
      ...[{ as_of: 'tomorrow' }, { as_of: 9e15 }, { agent_id: 7 }, { agent_id: 'ann\u001b[2K' }, { network: null }],
      ...[
        { anchors: 'me' },
        { anchors: ['\u001b[2K'] },
        { score: '99' },
        { network: { ...head.network, epoch_secs: 0 } },
      ],
    ]) {
      const forged = [lineOf({ ...head, ...change }).trim(), ...lines.slice(1)].join('\n');
      await assert.rejects(verified(forged), { name: 'EvidenceError' }, JSON.stringify(change));
    }
    for (const change of [{ at: 'now' }, { at: null }, { text: 7 }, { id: '1' }]) {
      const { digest: _, ...fact } = JSON.parse(lines[1]!);
      const forged = [lines[0], lineOf({ ...fact, ...change }).trim(), ...lines.slice(2)].join('\n');
      assert.match((await verified(forged)).faults[0]!, /^line 2 /, JSON.stringify(change));
    }
  });

  it('is counted by mesh verify-score, which says what it does not prove', async () => {
    const file = join(folder, 'evidence.ndjson');
    await writeFile(file, await evidenceOf(all[1]!));
    const done = await command(['verify-score', file]);
    assert.equal(done.code, 0, done.error);
    assert.match(done.out, /^score +\d+, as the aggregator says/m);
    assert.match(done.out, /Not proved here: what the aggregator says of the ledger/);
    const { counted, claimed } = JSON.parse((await command(['verify-score', file, '--json'])).out);
    assert.deepEqual(counted, claimed);
    await writeFile(file, (await evidenceOf(all[1]!)).replace('"kind":"item"', '"kind":"itam"'));
    const damaged = await command(['verify-score', file]);
    assert.equal(damaged.code, 1);
    assert.match(damaged.error, /line \d+ is damaged/);
    await writeFile(file, 'nothing of the kind');
    assert.match((await command(['verify-score', file])).error, /line 1 does not end with its digest/);
  });

  it('is refused for agents that nobody has heard of', async () => {
    const nobody = identityFromSeed(new Uint8Array(32).fill(9)).address;
    const response = await fetch(`${mesh.aggregatorNode.url}/reputation/${nobody}/evidence`);
    assert.equal(response.status, 404);
  });
});
