import type { PublicKey } from '@solana/web3.js';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Clock } from '../../core/platform/clock.ts';
import type { Log } from '../../core/platform/log.ts';
import type { Metrics } from '../../core/platform/metrics.ts';
import { USDC_DECIMALS } from '../../core/platform/usdc.ts';
import { SolanaAccountReads } from './account-reads.ts';
import { checkSameCluster, clusterOf } from './cluster.ts';
import { SolanaForeignTransactions } from './foreign/foreign.ts';
import { heldTokens, publicKey, readAccounts, readBalances } from './holdings.ts';
import { Incoming } from './incoming.ts';
import { associatedTokenAddress } from './instructions.ts';
import { JsonRpc } from './json-rpc.ts';
import { Rent } from './rent.ts';
import { RpcStanding } from './rpc-standing.ts';
import { Sent } from './sent.ts';
import type { SettlementAddress } from './settlement/deployment.ts';
import { refusedBytes } from './settlement/refused.ts';
import { openSettlement } from './settlement/settlement.ts';
import { SlotWatch } from './slot-watch.ts';
import { SponsoredOutcomes } from './sponsored-outcomes.ts';
import { prepareSponsored } from './sponsored-transfer.ts';
import { Submission } from './submission.ts';
import { TransactionReader } from './transaction-reader.ts';
import { prepareTransfer } from './transfer.ts';
import { TransferFee } from './transfer-fee.ts';
import { Witnesses } from './witnesses.ts';

const DECIMALS_AT = 44;
const MAX_PRIORITY_FEE = 1_000_000;

export interface SolanaLedgerOptions {
  /**
   * HTTP address of an RPC node, or of several that must agree on what decides about money; the first is the one used
   * for everything else. They may carry API keys and are never logged.
   */
  readonly url: string | readonly [string, ...string[]];
  /** Needed only where the cluster has no official USDC. */
  readonly usdcMint?: string;
  /** Where the settlement program is; without it the ledger only pays. */
  readonly settlement?: SettlementAddress;
  /** The most that is offered for being taken sooner, in micro-lamports per compute unit; a million unless told. */
  readonly maxPriorityFee?: number;
  readonly log: Log;
  readonly clock: Clock;
  /** Where calls and faults of the nodes are counted. */
  readonly metrics?: Pick<Metrics, 'counter'>;
}

/**
 * Opens the ledger; fails with `ledger_unavailable` when the node does not answer, and with a plain sentence when its
 * USDC is none or the settlement program is not the one that was meant.
 */
export async function openSolanaLedger(options: SolanaLedgerOptions): Promise<Ledger> {
  const { usdcMint, settlement: address, log, clock } = options;
  const witnesses = witnessesOf(options);
  const rpc = witnesses.first;
  const cluster = await clusterOf(rpc, usdcMint);
  if (witnesses.all.length > 1) await checkSameCluster(witnesses);
  const mint = publicKey(cluster.usdcMint);
  await checkMint(rpc, mint);
  const { maxPriorityFee = MAX_PRIORITY_FEE } = options;
  const submission = new Submission(
    witnesses.all,
    clock,
    (bytes, error) => address && refusedBytes(address.programId, bytes, error),
  );
  const reader = new TransactionReader({ ...options, witnesses });
  const incoming = new Incoming({ witnesses, reader, mint });
  const sent = new Sent(witnesses.all, mint);
  const sponsored = new SponsoredOutcomes(witnesses.all, mint);
  const transfers = { rpc, mint, rent: new Rent(rpc, clock), fee: new TransferFee(rpc, clock) };
  const settlement = address && (await openSettlement(witnesses, cluster, { ...address, maxPriorityFee, reader }));
  const slots = new SlotWatch(rpc, clock, log);
  return {
    cluster,
    settlement,
    foreign: new SolanaForeignTransactions(rpc, mint),
    accounts: new SolanaAccountReads(witnesses),
    slot: () => slots.slot(),
    balances: (owner) => readBalances(rpc, owner),
    usdc: async (owner) => (await readUsdc(rpc, owner, mint)) ?? 0n,
    usdcAccount: (owner) => readUsdc(rpc, owner, mint),
    prepareUsdcTransfer: (transfer, signer) => prepareTransfer(transfers, transfer, signer),
    prepareSponsoredUsdc: (transfer, signer) => prepareSponsored(transfers, transfer, signer),
    sponsoredOutcome: (owner, transaction) => sponsored.of(owner, transaction),
    submit: (transaction, signal, until) => submission.submit(transaction, signal, until),
    outcome: (transaction) => submission.outcome(transaction),
    sentUsdc: (owner, query) => sent.find(owner, query),
    incomingUsdc: (owner, after, limit, payouts) => incoming.page(owner, after, limit, payouts),
    incomingTransfer: (owner, one, payouts) => incoming.one(owner, one, payouts),
    health: () => witnesses.health(),
    look: () => witnesses.look(),
    async close() {
      slots.close();
      witnesses.close();
    },
  };
}

function witnessesOf({ url, clock, log, metrics }: SolanaLedgerOptions): Witnesses {
  const [first, ...others] = typeof url === 'string' ? ([url] as const) : url;
  const client = (address: string, index: number) => {
    const place = { ordinal: index + 1, of: others.length + 1 };
    return new JsonRpc(address, clock, new RpcStanding({ clock, log, ...place, ...(metrics && { metrics }) }));
  };
  return new Witnesses([client(first, 0), ...others.map((other, index) => client(other, index + 1))], clock);
}

async function readUsdc(rpc: JsonRpc, owner: string, mint: PublicKey): Promise<bigint | undefined> {
  const holder = publicKey(owner);
  const [account] = await readAccounts(rpc, [associatedTokenAddress(holder, mint)]);
  return heldTokens(account ?? null, holder, mint);
}

async function checkMint(rpc: JsonRpc, mint: PublicKey): Promise<void> {
  const [account] = await readAccounts(rpc, [mint]);
  if (account?.data[DECIMALS_AT] === USDC_DECIMALS) return;
  throw new Error(`${mint.toBase58()} is no token mint with ${USDC_DECIMALS} decimals on this cluster.`);
}
