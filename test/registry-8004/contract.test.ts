import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import {
  fakeLedgerAccounts,
  fakeTransactions,
  pluginContract,
  type TestNode,
  testNode,
  value,
} from '../../adapters/testing.ts';
import { LedgerAccounts, Transactions } from '../../core/services.ts';
import { registry8004Plugin } from '../../plugins/registry8004/index.ts';
import { COLLECTION, PROGRAM } from '../upstreams/registry-8004/stand-in.ts';

const ROOT = [42, 216, 8, 82, 19, 209, 223, 246];

function ledgerOf(cluster: string) {
  const fake = fakeLedgerAccounts(cluster);
  const program = cluster === 'mainnet-beta' ? '8oo4dC4JvBLwy5tGgiH3WwK4B9PWxL9Z4XjA2jzkQMbQ' : PROGRAM;
  const collection = Buffer.from(Keypair.generate().publicKey.toBytes());
  const data = Buffer.concat([Buffer.from(ROOT), collection, Buffer.alloc(33)]);
  fake.put(fake.service.derive(program, [Buffer.from('root_config')]), { lamports: 1n, owner: program, data });
  return fake;
}

const services = [value(LedgerAccounts, ledgerOf('devnet').service), value(Transactions, fakeTransactions().service)];

pluginContract(registry8004Plugin, { services }, { describe, it });

describe('the registry 8004 by cluster', () => {
  let node: TestNode;
  afterEach(async () => assert.deepEqual(await node.stop(), []));
  const owner_pubkey = Keypair.generate().publicKey.toBase58();
  const PREPARE = 'POST /registry/8004/register-prepare';
  const SUBMIT = 'POST /registry/8004/register-submit';
  const LOCAL = 'POST /registry/8004/register-local';

  async function on(cluster: string) {
    const [ledger, transactions] = [ledgerOf(cluster), fakeTransactions()];
    const offered = [value(LedgerAccounts, ledger.service), value(Transactions, transactions.service)];
    node = await testNode(registry8004Plugin, { profile: 'aggregator', services: offered });
    return { ledger, transactions };
  }

  for (const cluster of ['mainnet-beta', 'testnet', 'unknown'])
    it(`prepares, submits and registers nothing on ${cluster}`, async () => {
      const { transactions } = await on(cluster);
      const info = (await node.call('GET /registry/8004/info')).body;
      assert.deepEqual([info.network, info.available, info.program_id], [cluster, false, PROGRAM]);
      const transaction = { transaction_b64: 'AgAAAA==', owner_signature_b64: `${'A'.repeat(86)}==` };
      for (const [line, body] of [
        [PREPARE, { owner_pubkey }],
        [SUBMIT, transaction],
        [LOCAL, {}],
      ] as const) {
        const answer = await node.call(line, { body });
        assert.deepEqual([answer.status, answer.body.code], [403, 'registry_not_test'], JSON.stringify(answer.body));
        assert.match(answer.body.detail, new RegExp(`connected to ${cluster}; nothing was sent`));
      }
      assert.deepEqual([transactions.signed, transactions.relayed], [[], []]);
    });

  it('links to the page of the test cluster, and names what it spends at most', async () => {
    const { transactions } = await on('devnet');
    const { status, body } = await node.call(LOCAL, { body: {} });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.explorer, `https://explorer.solana.com/tx/${body.signature}?cluster=devnet`);
    const [sent] = transactions.signed;
    assert.deepEqual([sent!.spend, sent!.cosigners], [{ lamports: 15_000_000n }, [body.asset_pubkey]]);
  });

  it('says that the ledger does not answer, and prepares nothing', async () => {
    const { ledger } = await on('devnet');
    ledger.fail(true);
    for (const [line, body] of [
      [PREPARE, { owner_pubkey }],
      [LOCAL, {}],
    ] as const)
      assert.deepEqual((await node.call(line, { body })).body.code, 'ledger_unavailable');
    const info = (await node.call('GET /registry/8004/info')).body;
    assert.deepEqual([info.available, info.collection], [false, null]);
    ledger.fail(false);
    assert.equal((await node.call(PREPARE, { body: { owner_pubkey } })).status, 200);
  });

  it('takes the collection from the registry and not from a list', async () => {
    await on('devnet');
    const { collection } = (await node.call('GET /registry/8004/info')).body;
    assert.ok(collection && collection !== COLLECTION);
  });
});
