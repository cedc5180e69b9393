import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '@solana/web3.js';
import { connect, disconnect } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { findRedis, RedisServer } from '../support/redis-server.ts';
import { watch } from '../support/sockets.ts';
import { newWallet } from '../support/wallet.ts';
import { TradingServiceStandIn } from '../upstreams/trading-service.ts';
import { X402Seller } from '../upstreams/x402-seller.ts';
import { OF_NODE } from './specified-rows.ts';
import { Caller, done, type Localnet, Processes, SECRET } from './support/from-command-line.ts';
import { hasMembers } from './support/words.ts';

const KEY = 'a-key-of-the-trading-service';
const SKILL = Buffer.from('[skill]\nname = "weather"\ndescription = "Tells the weather."\n').toString('base64');
/** Whether the sleep of this test still runs under that pid. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sleep\x00600');
  } catch {
    return false;
  }
}

const STORES = findRedis() ? ['files', 'redis'] : ['files'];

for (const use of STORES)
  describe(`a node that is started from the command line alone, on ${use}`, function () {
    this.timeout(400_000);
    let redis: RedisServer | undefined;
    let processes: Processes;
    let localnet: Localnet;
    let connection: Connection;
    let service: TradingServiceStandIn;
    let seller: X402Seller;
    let one: Caller;
    let two: Caller;
    let token = '';
    /** Processes of an agent in the background. */
    const begun: number[] = [];
    const ids = { one: '', two: '' };
    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      processes = await Processes.make();
      localnet = await processes.localnet();
      const fund = (address: string, sol: string, usdc: string) =>
        done('faucet', address, '--sol', sol, '--usdc', usdc, '--rpc-url', localnet.url);
      service = await TradingServiceStandIn.start(localnet.url, KEY);
      await fund(service.maker, '5', '100');
      service.prices.set(localnet.mint, { usdPrice: 1, decimals: 6 });
      token = await service.token(0.5);
      connection = connect(localnet.url);
      seller = await X402Seller.start(connection, `solana:${localnet.genesis.slice(0, 32)}`, localnet.mint);
      await fund(seller.feePayer.publicKey.toBase58(), '1', '1');
      await fund(seller.payTo, '1', '1');
      const { url: aggregator } = await processes.start('aggregator', { profile: 'aggregator', ...localnet.settings });
      const storage = redis ? { use: 'redis', url: redis.url, prefix: 'one' } : { use: 'lowdb' };
      const trade = { apiUrl: service.url, apiKey: KEY, known: [token, localnet.mint] };
      const core = { 'agent-process': { allow: true, graceSecs: 1 } };
      const settings = { ...localnet.settings, ...{ storage, core, plugins: { trade } } };
      const flags = ['--aggregator-url', aggregator, '--hosting', '--skill-workspace', join(processes.folder, 'agent')];
      one = new Caller(await processes.start('one', settings, flags));
      two = new Caller(await processes.start('two', localnet.settings, ['--aggregator-url', aggregator]));
      for (const [name, caller] of [
        ['one', one],
        ['two', two],
      ] as const) {
        ids[name] = (await caller.does('GET /identity')).agent_id;
        await fund(ids[name], '1', '50');
      }
      await happens('they know each other', async () => {
        const peers = await one.does('GET /peers');
        return peers.some(({ agent_id }: any) => agent_id === ids.two) || undefined;
      });
    });
    after(async () => {
      for (const pid of begun) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await service?.stop();
      await seller?.stop();
      if (connection) disconnect(connection);
      await processes?.stop();
      await redis?.stop();
    });

    /** A deal that `two` offers to `one`, which counters once; with the words of the row that is looked at. */
    async function offered(): Promise<string> {
      const offer = { recipient: ids.one, amount_usdc_micro: 2_000_000, message: 'count', max_rounds: 3 };
      const { conversation_id } = await two.does('POST /negotiate/propose', { body: offer });
      await one.dealWhen(conversation_id, ({ state }) => state === 'proposed');
      return conversation_id;
    }
    async function delivered(): Promise<string> {
      const offer = { recipient: ids.two, amount_usdc: '1', message: 'count the words' };
      const { conversation_id } = await one.does('POST /negotiate/propose', { body: offer });
      await two.dealWhen(conversation_id, ({ state }) => state === 'proposed');
      await two.does('POST /negotiate/accept', { body: { conversation_id } });
      await one.dealWhen(conversation_id, ({ state }) => state === 'accepted');
      return conversation_id;
    }
    const pair = () => ({ input_mint: localnet.mint, output_mint: token });
    const step = { conversation_id: 'string', nonce: 'integer', payload_hash: 'string' } as const;
    let locked = '';
    let order = '';
    let ann = { agent_id: '', token: '' };
    let hostedDeal = '';

    const rows: Record<string, () => Promise<void>> = {
      async 'GET /identity'() {
        hasMembers(await one.does('GET /identity'), { agent_id: 'base58', name: ['one'] });
      },
      async 'GET /peers'() {
        const peers = await one.does('GET /peers');
        const peer = peers.find(({ agent_id }: any) => agent_id === ids.two);
        hasMembers(peer, { agent_id: 'base58', lease_status: 'string', last_active_epoch: 'integer' });
      },
      async 'GET /reputation/:agent_id'() {
        hasMembers(await one.does(`GET /reputation/${ids.two}`), { agent_id: [ids.two], total_tasks: 'integer' });
      },
      async 'POST /envelopes/send'() {
        const conversation_id = '00112233445566778899aabbccddeeff';
        const payload_b64 = Buffer.from('hello').toString('base64');
        const message = { msg_type: 'MESSAGE', recipient: ids.two, conversation_id, payload_b64 };
        hasMembers(await one.does('POST /envelopes/send', { body: message }), {
          nonce: 'integer',
          payload_hash: 'string',
        });
        await happens('two hears it', async () => {
          const { frames } = await two.does(`GET /inbox?conversation_id=${conversation_id}`);
          return frames[0]?.payload_b64 === payload_b64 || undefined;
        });
      },
      async 'GET /batch/:agent_id/:epoch'() {
        const { epoch } = await one.does('GET /identity');
        hasMembers(await one.does(`GET /batch/${ids.one}/${epoch}`), { epoch: [epoch], message_count: 'integer' });
      },
      async 'WS /ws/events'() {
        const headers = { authorization: `Bearer ${SECRET}` };
        const live = watch(`${one.url}/ws/events`, [], { headers });
        await new Promise((open) => live.socket.once('open', open));
        await one.does('POST /message', { body: { recipient: ids.two, text: 'an event' } });
        await live.until(1);
        hasMembers(live.frames[0], { type: 'string' });
        live.socket.close();
      },
      async 'WS /ws/inbox'() {
        const live = watch(`${one.url}/ws/inbox`, [], { headers: { authorization: `Bearer ${SECRET}` } });
        await live.until(1);
        await two.does('POST /message', { body: { recipient: ids.one, text: 'are you there?' } });
        await live.until(2);
        hasMembers(live.frames[1], { sender: [ids.two], msg_type: ['MESSAGE'], conversation_id: 'string' });
        live.socket.close();
      },
      async 'POST /negotiate/propose'() {
        const offer = { recipient: ids.two, amount_usdc_micro: 1_000_000, message: 'count', max_rounds: 2 };
        hasMembers(await one.does('POST /negotiate/propose', { body: offer }), step);
      },
      async 'POST /negotiate/counter'() {
        const conversation_id = await offered();
        const counter = {
          recipient: ids.two,
          conversation_id,
          amount_usdc_micro: 3_000_000,
          round: 1,
          max_rounds: null,
        };
        hasMembers(await one.does('POST /negotiate/counter', { body: counter }), step);
        await two.dealWhen(conversation_id, ({ amount_usdc }) => amount_usdc === '3');
      },
      async 'POST /negotiate/accept'() {
        const conversation_id = await offered();
        const accept = { recipient: ids.two, conversation_id, amount_usdc_micro: 2_000_000, message: null };
        hasMembers(await one.does('POST /negotiate/accept', { body: accept }), step);
        await two.dealWhen(conversation_id, ({ state }) => state === 'accepted');
      },
      async 'POST /escrow/lock'() {
        locked = await delivered();
        await one.does('POST /escrow/lock', { body: { conversation_id: locked } });
        await two.dealWhen(locked, ({ history }) => history.some(({ event }: any) => event === 'locked'));
      },
      async 'POST /escrow/approve'() {
        await two.does('POST /deliver', { body: { conversation_id: locked, content: 'three words here' } });
        await one.dealWhen(locked, ({ allowed_actions }) => allowed_actions.includes('approve'));
        await one.does('POST /escrow/approve', { body: { conversation_id: locked } });
      },
      async 'POST /wallet/sweep'() {
        const destination = newWallet().address;
        const swept = await one.does('POST /wallet/sweep', { body: { destination, amount_usdc: '1.5' } });
        hasMembers(swept, { signature: 'string', amount_usdc: [1.5], destination: [destination] });
      },
      async 'POST /wallet/x402/pay'() {
        hasMembers(await one.does('POST /wallet/x402/pay', { body: { url: seller.url, max_usdc: '0.05' } }), {
          payment_id: 'string',
          status: 'string',
        });
        assert.deepEqual([seller.problems, seller.settled.length], [[], 1]);
      },
      async 'GET /skill/list'() {
        assert.deepEqual((await one.does('GET /skill/list')).skills, []);
      },
      async 'POST /skill/write'() {
        const body = { name: 'weather', content_b64: SKILL };
        hasMembers(await one.does('POST /skill/write', { body }), { name: ['weather'] });
      },
      async 'POST /skill/install-url'() {
        const body = { name: 'x', url: 'https://192.168.0.1/SKILL.toml' };
        const { status, body: problem } = await one.ask('POST /skill/install-url', { body });
        assert.deepEqual([status, problem.fields[0].pointer], [400, '/url'], 'a private host is refused');
      },
      async 'POST /skill/remove'() {
        hasMembers(await one.does('POST /skill/remove', { body: { name: 'weather' } }), { name: ['weather'] });
      },
      async 'POST /admin/exempt'() {
        hasMembers(await one.does('POST /admin/exempt', { body: { agent_id: ids.two } }), { agent_id: [ids.two] });
      },
      async 'GET /admin/exempt'() {
        hasMembers(await one.does('GET /admin/exempt'), { exempt_agents: 'array', count: [1] });
        assert.equal((await one.ask('GET /admin/exempt', { token: 'another' })).status, 401);
      },
      async 'DELETE /admin/exempt/:agent_id'() {
        await one.does(`DELETE /admin/exempt/${ids.two}`);
      },
      async 'POST /agent/register-pid'() {
        const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
        await new Promise((up) => child.once('spawn', up));
        begun.push(child.pid!);
        hasMembers(await one.does('POST /agent/register-pid', { body: { pid: child.pid } }), { pid: [child.pid] });
      },
      async 'POST /agent/reload'() {
        const { pid } = await one.does('POST /agent/reload');
        assert.ok(Number.isInteger(pid) && !begun.includes(pid));
        begun.push(pid);
      },
      async 'GET /trade/quote'() {
        const quote = `GET /trade/quote?input_mint=${localnet.mint}&output_mint=${token}&amount=1000000`;
        hasMembers(await one.does(quote), { inAmount: ['1000000'], outAmount: ['2000000'] });
      },
      async 'GET /trade/price'() {
        hasMembers((await one.does(`GET /trade/price?ids=${token}`))[token], { usdPrice: [0.5] });
      },
      async 'GET /trade/tokens'() {
        assert.equal((await one.does(`GET /trade/tokens?q=${token}`))[0].id, token);
      },
      async 'POST /trade/swap'() {
        const done = await one.does('POST /trade/swap', { body: { ...pair(), amount: 1_000_000 } });
        hasMembers(done, { txid: 'string', out_amount: ['2000000'] });
      },
      async 'POST /trade/limit/create'() {
        const body = { ...pair(), making_amount: 3_000_000, taking_amount: 9_000_000 };
        ({ order } = await one.does('POST /trade/limit/create', { body }));
      },
      async 'GET /trade/limit/orders'() {
        assert.equal((await one.does('GET /trade/limit/orders')).orders[0].orderKey, order);
      },
      async 'POST /trade/limit/cancel'() {
        hasMembers(await one.does('POST /trade/limit/cancel', { body: { orders: [order] } }), { cancelled: [1] });
      },
      async 'POST /trade/dca/create'() {
        const body = { ...pair(), in_amount: 6_000_000, in_amount_per_cycle: 2_500_000, cycle_seconds: 3_600 };
        hasMembers(await one.does('POST /trade/dca/create', { body }), { dca_key: 'base58' });
      },
      async 'GET /portfolio/balances'() {
        const { tokens } = await one.does('GET /portfolio/balances');
        assert.deepEqual(
          tokens.slice(0, 1).map(({ symbol }: any) => symbol),
          ['SOL'],
        );
      },
      async 'GET /portfolio/history'() {
        await happens('swap, sweep and lock are told', async () => {
          const { events } = await one.does('GET /portfolio/history?limit=200');
          const told = events.map(({ type, action }: any) => `${type} ${action}`).join();
          return /swap/.test(told) && /transfer sweep/.test(told) && /escrow/.test(told) ? true : undefined;
        });
      },
      async 'GET /hosted/ping'() {
        assert.deepEqual(await (await fetch(`${one.url}/hosted/ping`)).json(), { ok: true });
      },
      async 'POST /hosted/register'() {
        const response = await fetch(`${one.url}/hosted/register`, { method: 'POST' });
        ann = (await response.json()) as typeof ann;
        hasMembers(ann, { agent_id: 'base58', token: 'string' });
      },
      async 'POST /hosted/send'() {
        const conversation_id = 'ffeeddccbbaa99887766554433221100';
        const body = { msg_type: 'MESSAGE', recipient: ids.two, conversation_id, payload_hex: '68656c6c6f' };
        await one.does('POST /hosted/send', { body, token: ann.token });
        await happens('two hears it', async () => {
          const { frames } = await two.does(`GET /inbox?conversation_id=${conversation_id}`);
          return frames[0]?.sender === ann.agent_id || undefined;
        });
      },
      async 'POST /hosted/negotiate/propose'() {
        const body = { recipient: ids.two, amount_usdc_micro: 0, message: 'count', max_rounds: 3, escrow: false };
        const proposed = await one.does('POST /hosted/negotiate/propose', { body, token: ann.token });
        hasMembers(proposed, step);
        hostedDeal = proposed.conversation_id;
        await two.dealWhen(hostedDeal, ({ requester }) => requester === ann.agent_id);
        const counter = { conversation_id: hostedDeal, amount_usdc: '2' };
        await two.does('POST /negotiate/counter', { body: counter });
        await one.dealWhen(hostedDeal, ({ state }) => state === 'countered', '/hosted', ann.token);
      },
      async 'POST /hosted/negotiate/counter'() {
        const body = { conversation_id: hostedDeal, amount_usdc_micro: 1_000_000, round: 2, max_rounds: null };
        hasMembers(await one.does('POST /hosted/negotiate/counter', { body, token: ann.token }), step);
        await two.dealWhen(hostedDeal, ({ amount_usdc }) => amount_usdc === '1');
        await two.does('POST /negotiate/counter', { body: { conversation_id: hostedDeal, amount_usdc: '1.5' } });
        await one.dealWhen(hostedDeal, ({ amount_usdc }) => amount_usdc === '1.5', '/hosted', ann.token);
      },
      async 'POST /hosted/negotiate/accept'() {
        const body = { conversation_id: hostedDeal, amount_usdc_micro: 1_500_000, message: null };
        hasMembers(await one.does('POST /hosted/negotiate/accept', { body, token: ann.token }), step);
        await two.dealWhen(hostedDeal, ({ state }) => state === 'accepted');
      },
      async 'WS /ws/hosted/inbox?token='() {
        const live = watch(`${one.url}/ws/hosted/inbox?token=${ann.token}`);
        await live.until(1);
        await two.does('POST /message', { body: { recipient: ann.agent_id, text: 'are you there?' } });
        await live.until(2);
        hasMembers(live.frames[1], { sender: [ids.two], recipient: [ann.agent_id] });
        live.socket.close();
      },
    };

    for (const [row, run] of Object.entries(rows)) it(`serves ${row}`, run);

    it('has no row that was not looked at', () => {
      assert.deepEqual(Object.keys(rows).sort(), [...OF_NODE].sort());
    });
  });
