import { formatUsdc, invalidField, MeshError } from '../../core/plugin.ts';
import type { Agents, Clock, LedgerAccounts, Random, Self, Space } from '../../core/services.ts';
import { minorOf, positiveMinor } from './amounts.ts';
import type { Beside } from './beside.ts';
import { available, type Books, balanceOf } from './books.ts';
import type { BillingConfig } from './config.ts';
import type { Deposits } from './deposits.ts';
import { DestinationCheck } from './destination-check.ts';
import type { FeeTable } from './fee-table.ts';
import type { GatewayDeposits } from './gateway-deposits.ts';
import type { HistoryAnswer, HistoryQuery } from './history-shapes.ts';
import { reserve } from './reservations.ts';
import { estimateOf } from './settlement/attestation.ts';
import { chainNamed, SOLANA } from './settlement/chains.ts';
import { GATEWAY_WALLETS } from './settlement/gateway.ts';
import type * as shapes from './shapes.ts';
import { accounts, addresses, destinations, journal, type Withdrawal, withdrawals } from './stored.ts';

export interface RequestsOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly agents: Agents;
  readonly self: Self;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: BillingConfig;
  readonly books: Books;
  readonly deposits: Deposits;
  readonly gatewayDeposits: GatewayDeposits;
  readonly beside: Beside;
  /** Undefined where there is no attestation service. */
  readonly fees: FeeTable | undefined;
}

/** Seconds in which a transfer on Solana is final. */
const SOLANA_SECONDS = { least: 15, most: 60 };

/** Carries out the requests of agents about their billing account. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #check: DestinationCheck;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#check = new DestinationCheck(options);
  }

  async deposit(agent: string, body: shapes.DepositRequest): Promise<shapes.DepositAnswer> {
    const amount = positiveMinor(body.amount_usdc, '/amount_usdc');
    await this.#requireKnown(agent);
    const { deposits, gatewayDeposits, ledger } = this.#options;
    const chain = chainNamed(body.chain)!;
    const about = { agent_id: agent, chain: chain.name, domain_id: chain.domainId, amount_usdc: formatUsdc(amount) };
    if (chain.name === SOLANA) {
      const address = await deposits.open(agent);
      this.#options.beside.wake(agent);
      return {
        ...{ ...about, address, token: ledger.usdcMint! },
        detail: `USDC that is sent to this wallet on ${chain.name} is credited once it is final. Send nothing else.`,
      };
    }
    const network = ledger.cluster === 'mainnet-beta' ? 'mainnet' : 'testnet';
    const [token, wallet_contract] = [chain.usdc[network], GATEWAY_WALLETS[network]];
    return {
      ...{ ...about, address: await gatewayDeposits.open(agent, chain), token, wallet_contract },
      detail: `On ${chain.name}, approve USDC for ${wallet_contract} and call its depositFor(token, address, amount): it is credited once the gateway counts it. A plain transfer to either address is not credited.`,
    };
  }

  async balance(agent: string): Promise<shapes.BalanceAnswer> {
    const { space } = this.#options;
    // As of one moment: what is credited is not told as unread any more.
    const [account, payout, deposits] = await space.getMany([
      accounts.ref(agent),
      destinations.ref(agent),
      addresses.ref(agent),
    ]);
    const found = balanceOf(account);
    const unread = deposits?.passedOver?.map(({ signature }) => signature);
    return {
      agent_id: agent,
      balance_usdc: formatUsdc(found.available),
      reserved_usdc: formatUsdc(found.reserved),
      ...(payout && { payout: { chain: payout.chain, address: payout.address } }),
      ...(unread && { unread }),
      ...(deposits?.beside !== undefined && { beside_usdc: formatUsdc(BigInt(deposits.beside)) }),
    };
  }

  async withdraw(
    agent: string,
    body: shapes.WithdrawRequest,
    operation: string | undefined,
  ): Promise<shapes.WithdrawalAnswer> {
    const { space, random, config, books, agents } = this.#options;
    // A call whose answer was lost may have set its amount aside, which the balance lacks now.
    const before = operation === undefined ? undefined : await space.committed<Withdrawal>(operation);
    if (before) return this.withdrawal(agent, before.value.id);
    const amount = positiveMinor(body.amount_usdc, '/amount_usdc');
    const least = minorOf(config.minWithdrawal);
    if (amount < least) throw invalidField('/amount_usdc', `must be at least ${formatUsdc(least)}`);
    const destination = { chain: body.destination_chain, address: body.destination_address };
    const chain = await this.#check.fitting(agent, destination, ['/destination_chain', '/destination_address']);
    // Keys cost nothing: before anything is asked of a ledger or a service. It counts again when the amount is set aside.
    if ((await books.balance(agent)).available < amount)
      throw new MeshError('insufficient_funds', `The billing balance is lower than ${formatUsdc(amount)} USDC.`);
    await this.#check.reachable(chain, destination, '/destination_address');
    await this.#check.worthwhile(chain, amount);
    const id = Buffer.from(random.bytes(16)).toString('hex');
    const standing = ((await agents.get(agent))?.rank ?? 0) > 0;
    const { value } = await space.tx(
      [],
      (tx) => reserve(tx, books, config, { id, agent, kind: 'withdrawal', amount, standing, ...destination }),
      { opId: operation },
    );
    return shown(value);
  }

  async setPayout(agent: string, { chain, address }: shapes.PayoutRequest, operation: string | undefined) {
    const { space } = this.#options;
    const found = await this.#check.fitting(agent, { chain, address }, ['/chain', '/address']);
    await this.#requireKnown(agent);
    await this.#check.reachable(found, { chain, address }, '/address');
    await space.tx(
      [],
      (tx) => {
        // Keys are free, and each may name one: it is forgotten where nothing was ever credited.
        const [account] = tx.pull([accounts.ref(agent)]);
        tx.put(destinations.ref(agent), { chain, address, ...(!account && { asked: tx.now }) });
      },
      { opId: operation },
    );
    return { agent_id: agent, chain, address };
  }

  async estimate({ amount: text, destination_chain }: shapes.EstimateQuery): Promise<shapes.EstimateAnswer> {
    const { clock } = this.#options;
    const amount = positiveMinor(text, '/amount');
    const chain = chainNamed(destination_chain)!;
    const now = clock.now();
    const common = {
      amount_usdc: formatUsdc(amount),
      source_chain: SOLANA,
      destination_chain,
      domain_id: chain.domainId,
    };
    if (chain.name === SOLANA)
      return {
        ...common,
        ...{ fee_usdc: '0', platform_fee_usdc: '0', transfer_fee_usdc: '0', received_usdc: formatUsdc(amount) },
        ...{ speed: 'standard', transfer_time_seconds: SOLANA_SECONDS.least },
        ...{ transfer_time_max_seconds: SOLANA_SECONDS.most, as_of: new Date(now).toISOString(), age_seconds: 0 },
      };
    const known = await this.#check.requireFees('/destination_chain').of(chain);
    const found = estimateOf(amount, known);
    return {
      ...common,
      fee_usdc: String(found.totalFee),
      platform_fee_usdc: String(found.platformFee),
      transfer_fee_usdc: String(found.transferFee),
      received_usdc: String(found.received),
      speed: found.speed,
      transfer_time_seconds: found.seconds.least,
      transfer_time_max_seconds: found.seconds.most,
      as_of: new Date(known.at).toISOString(),
      age_seconds: Math.max(0, Math.floor((clock.now() - known.at) / 1_000)),
    };
  }

  async withdrawal(agent: string, id: string): Promise<shapes.WithdrawalAnswer> {
    const found = await this.#options.space.get(withdrawals.ref(id));
    if (found?.agent === agent) return shown(found);
    throw new MeshError('not_found', 'This agent has no such withdrawal.');
  }

  async history(agent: string, { limit = 50, before }: HistoryQuery): Promise<HistoryAnswer> {
    const posting = available(agent);
    const rows = await this.#options.space.page(journal, { posting, limit, ...(before !== undefined && { before }) });
    return {
      entries: rows.map(({ id, record: { at, kind, ref, lines } }) => {
        const change = -BigInt(lines.find(({ account }) => account === posting)!.amount);
        return {
          ...{ id, at: new Date(at).toISOString(), kind, ref },
          amount_usdc: formatUsdc(change < 0n ? -change : change),
          direction: change < 0n ? 'out' : 'in',
        };
      }),
    };
  }

  async #requireKnown(agent: string): Promise<void> {
    if (!(await this.#options.agents.get(agent)))
      throw new MeshError('not_found', 'This aggregator has not heard of that agent; its node reports a BEACON first.');
  }
}

function shown(one: Withdrawal): shapes.WithdrawalAnswer {
  const { maxFee: most, received, speed, signature, message, attestation, mintTx, problem } = one;
  return {
    ...{ withdrawal_id: one.id, agent_id: one.agent, kind: one.kind, status: one.state },
    ...{ amount_usdc: formatUsdc(BigInt(one.amount)), platform_fee_usdc: formatUsdc(BigInt(one.platformFee)) },
    ...{ destination_chain: one.chain, destination_address: one.address },
    ...(most !== undefined && { transfer_fee_max_usdc: formatUsdc(BigInt(most)) }),
    ...(received !== undefined && { received_usdc: formatUsdc(BigInt(received)) }),
    ...(speed !== undefined && { speed }),
    ...(signature !== undefined && { signature }),
    ...(message !== undefined && { message }),
    ...(attestation !== undefined && { attestation }),
    ...(mintTx !== undefined && { mint_tx: mintTx }),
    ...(problem !== undefined && { problem }),
    ...{ created_at: new Date(one.created).toISOString(), updated_at: new Date(one.changed).toISOString() },
  };
}
