import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Cluster } from '../../ledger/ledger.ts';
import { isZero } from '../../platform/bytes.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import { isForgeable } from '../../protocol/identity/points.ts';
import { MAX_X402 } from '../money/caps.ts';
import { paymentMemo } from '../payments/memo.ts';

/** Refuses an offer; `pointer` leads into the offer, `message` continues it to a sentence. */
export type Fault = (pointer: string, message: string, extra?: Record<string, unknown>) => MeshError;

/** A payment that an offer asks for and that this node can make. */
export interface Wanted {
  readonly version: 1 | 2;
  /** The chosen entry of `accepts`, as it came. */
  readonly accepted: Choice;
  readonly resource: unknown;
  readonly network: string;
  /** Minor units of USDC. */
  readonly amount: bigint;
  readonly payTo: string;
  readonly feePayer: string;
  /** The seller's; absent where the node draws one. */
  readonly memo?: string;
  /** Milliseconds in which the seller takes the payment. */
  readonly timeout: number;
}

type Choice = SchemaTypes['x402-choice'];
type Entry = SchemaTypes['x402-offer']['accepts'][number];

export interface OfferReader {
  readonly contracts: Contracts;
  readonly cluster: Cluster;
  readonly self: string;
}

const MAX_MEMO_BYTES = 256;

/** Reads an offer and chooses what to pay; throws what `fault` makes, or the refusal of a cap. */
export function wantedOf(reader: OfferReader, value: unknown, most: bigint | undefined, fault: Fault): Wanted {
  const { contracts } = reader;
  const [problem] = contracts.problems('x402-offer', value);
  if (problem) throw fault(problem.pointer, problem.message);
  const { x402Version: version, accepts, resource } = value as SchemaTypes['x402-offer'];
  const index = chosen(reader, accepts, fault);
  const pointer = `/accepts/${index}`;
  const [wrong] = contracts.problems('x402-choice', accepts[index]);
  if (wrong) throw fault(pointer + wrong.pointer, wrong.message);
  const accepted = accepts[index] as unknown as Choice;
  const priceName = version === 2 ? 'amount' : 'maxAmountRequired';
  const price = accepted[priceName];
  if (price === undefined) throw fault(`${pointer}/${priceName}`, 'is needed: minor units of USDC, as digits');
  const amount = BigInt(price);
  if (amount === 0n) throw fault(`${pointer}/${priceName}`, 'is 0: there is nothing to pay');
  checkAmount(amount, most);
  const payTo = walletOf(accepted.payTo, `${pointer}/payTo`, reader, fault);
  const { feePayer, memo } = accepted.extra ?? {};
  if (feePayer === undefined)
    throw fault(`${pointer}/extra/feePayer`, 'is needed: the wallet that pays the fee of the transaction');
  if (memo !== undefined) checkMemo(memo, `${pointer}/extra/memo`, fault);
  return {
    ...{ version, accepted, network: accepted.network, amount, payTo },
    resource: version === 2 ? resource : undefined,
    feePayer: walletOf(feePayer, `${pointer}/extra/feePayer`, reader, fault),
    ...(memo !== undefined && { memo }),
    timeout: (accepted.maxTimeoutSeconds ?? 60) * 1_000,
  };
}

function chosen({ cluster }: OfferReader, accepts: readonly Entry[], fault: Fault): number {
  const networks = networkNames(cluster);
  const fits = [...accepts.keys()].filter((at) => {
    const { scheme, network } = accepts[at]!;
    return scheme === 'exact' && networks.includes(network);
  });
  if (fits.length === 0)
    throw fault('/accepts', `has no entry of the scheme exact on ${networks.join(' or ')}`, {
      expected_network: networks[0],
    });
  const index = fits.find((at) => accepts[at]!.asset === cluster.usdcMint);
  if (index === undefined)
    throw fault(`/accepts/${fits[0]}/asset`, `is not the USDC of this cluster, ${cluster.usdcMint}`);
  return index;
}

function checkAmount(amount: bigint, most: bigint | undefined): void {
  if (amount > MAX_X402)
    throw new MeshError('spending_cap', {
      detail: `A payment by x402 takes at most ${formatUsdc(MAX_X402)} USDC, and this asks for ${formatUsdc(amount)}; nothing was paid.`,
      extra: {
        cap: 'x402',
        ...{ limit_usdc: formatUsdc(MAX_X402), needed_usdc: formatUsdc(amount) },
        ...{ amount_micro: amount.toString(), max_micro: Number(MAX_X402) },
      },
    });
  if (most !== undefined && amount > most)
    throw new MeshError('conflict', `This would cost ${formatUsdc(amount)} USDC; nothing was paid.`);
}

function walletOf(address: string, pointer: string, { self }: OfferReader, fault: Fault): string {
  const key = parseAgentId(address);
  if (!key || isZero(key) || isForgeable(key)) throw fault(pointer, 'is no wallet');
  if (address === self) throw fault(pointer, 'is this wallet itself');
  return address;
}

function checkMemo(memo: string, pointer: string, fault: Fault): void {
  const bytes = Buffer.from(memo, 'utf8');
  if (bytes.length === 0 || bytes.length > MAX_MEMO_BYTES || bytes.toString('utf8') !== memo)
    throw fault(pointer, `must be 1 to ${MAX_MEMO_BYTES} bytes of UTF-8`);
  if (memo.startsWith(paymentMemo(''))) throw fault(pointer, 'is that of the payment of a deal');
}

/** The names of clusters in version 1 of x402. */
const PLAIN: Readonly<Record<string, string>> = {
  'mainnet-beta': 'solana',
  devnet: 'solana-devnet',
  testnet: 'solana-testnet',
  localnet: 'solana-localnet',
};
/** CAIP-2 keeps so much of the genesis hash. */
const CAIP_LENGTH = 32;

/** The names by which offers of x402 mean this cluster: that of version 2, which is CAIP-2, and that of version 1. */
export function networkNames({ name, genesisHash }: Pick<Cluster, 'name' | 'genesisHash'>): readonly string[] {
  const plain = PLAIN[name];
  return [`solana:${genesisHash.slice(0, CAIP_LENGTH)}`, ...(plain === undefined ? [] : [plain])];
}
