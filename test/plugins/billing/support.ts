import assert from 'node:assert/strict';
import { type SettledLocalnet, startSettledLocalnet } from '../../../adapters/localnet-settlement.ts';
import { Ledger } from '../../../core/internal-services.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { Self } from '../../../core/services.ts';
import { MESSAGE_TRANSMITTER, TOKEN_MESSENGER } from '../../../plugins/billing/settlement/index.ts';
import type { TestAgent } from '../../aggregator/support/agent.ts';
import { happens } from '../../support/happens.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { AttestationStandIn } from '../../upstreams/transfer/attestation-service.ts';
import { transferProgram } from '../../upstreams/transfer/program.ts';
import { type AggregatorOptions, NETWORK, PluginAggregator } from '../support/aggregator.ts';

export const USDC = 1_000_000n;
export const EVM = `0x${'1a'.repeat(20)}`;

interface BenchOptions extends Pick<AggregatorOptions, 'adapters' | 'clock'> {
  /** The aggregator calls this URL in place of the localnet's own. */
  readonly rpcUrl?: (url: string) => string;
}

/** An aggregator with billing on a localnet, and everything that it talks to. */
export class BillingBench {
  readonly localnet: SettledLocalnet;
  readonly service: AttestationStandIn;
  readonly aggregator: PluginAggregator;
  readonly #redis: RedisServer | undefined;
  #agents = 0;

  private constructor(
    localnet: SettledLocalnet,
    service: AttestationStandIn,
    aggregator: PluginAggregator,
    redis: RedisServer | undefined,
  ) {
    this.localnet = localnet;
    this.service = service;
    this.aggregator = aggregator;
    this.#redis = redis;
  }

  static async start(
    use: 'memory' | 'lowdb' | 'redis',
    config: object = {},
    { rpcUrl = (url) => url, ...more }: BenchOptions = {},
    /** The address at which the aggregator asks the attestation service. */
    door: (url: string) => string | Promise<string> = (url) => url,
  ): Promise<BillingBench> {
    const redis = use === 'redis' ? await RedisServer.start() : undefined;
    const elf = transferProgram();
    const localnet = await startSettledLocalnet({
      log: silentLog,
      admin: true,
      networkId: NETWORK,
      slotMs: 20,
      programs: [TOKEN_MESSENGER, MESSAGE_TRANSMITTER].map((address) => ({ address, elf })),
    });
    const service = await AttestationStandIn.start(() => localnet.url);
    const aggregator = await PluginAggregator.start({
      ...more,
      storage: redis ? { use, url: redis.url } : { use },
      plugins: { billing: { attestationUrl: await door(service.url), ...config } },
      settings: {
        mesh: { allowPrivatePeers: true },
        core: { ingest: { newKeysPerHour: 10_000 } },
        ledger: { rpcUrl: rpcUrl(localnet.url), maxSolPerDay: '50', ...localnet.settlement },
      },
    });
    const bench = new BillingBench(localnet, service, aggregator, redis);
    await localnet.faucet.sol(bench.wallet, 20_000_000_000n);
    return bench;
  }

  async stop(): Promise<void> {
    await this.aggregator.stop();
    await this.service.stop();
    await this.localnet.stop();
    await this.#redis?.stop();
  }

  get wallet(): string {
    return this.aggregator.node.get(Self).address;
  }

  async agent(): Promise<TestAgent> {
    const agent = this.aggregator.agent(`agent ${this.#agents++}`);
    await this.aggregator.introduce(agent);
    return agent;
  }

  /** An agent with so much in its billing balance, deposited on the localnet. */
  async funded(amount: bigint): Promise<TestAgent> {
    const agent = await this.agent();
    await this.deposit(agent, amount);
    return agent;
  }

  async deposit(agent: TestAgent, amount: bigint): Promise<void> {
    const before = await this.balance(agent);
    await this.localnet.faucet.usdc(await this.address(agent), amount);
    await happens('the deposit is credited', async () => (await this.balance(agent)) === before + amount || undefined);
  }

  async address(agent: TestAgent): Promise<string> {
    const body = { chain: 'solana', amount_usdc: '10.00' };
    const answer = await this.aggregator.call('POST /billing/deposit', { as: agent, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.address;
  }

  async balance(agent: TestAgent): Promise<bigint> {
    return unitsOf((await this.account(agent)).balance_usdc);
  }

  async account(agent: TestAgent): Promise<any> {
    const { status, body } = await this.aggregator.call(`GET /billing/balance/${agent.id}`, { as: agent });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  withdraw(agent: TestAgent, change: object = {}, headers: Record<string, string> = {}) {
    const body = { amount_usdc: '5.00', destination_chain: 'base', destination_address: EVM, ...change };
    return this.aggregator.call('POST /billing/withdraw', { as: agent, body, headers });
  }

  async withdrawal(agent: TestAgent, id: string): Promise<any> {
    return (await this.aggregator.call(`GET /billing/withdrawals/${id}`, { as: agent })).body;
  }

  reaches(agent: TestAgent, id: string, status: string): Promise<any> {
    return happens(`a withdrawal is ${status}`, async () => {
      // Its pauses between two questions are up to a minute.
      this.aggregator.clock.shift(2_000);
      const found = await this.withdrawal(agent, id);
      return found.status === status ? found : undefined;
    });
  }

  held(wallet: string): Promise<bigint> {
    return this.aggregator.node.get(Ledger).usdc(wallet);
  }
}

export function unitsOf(decimal: string): bigint {
  return BigInt(Math.round(Number(decimal) * 1e6));
}
