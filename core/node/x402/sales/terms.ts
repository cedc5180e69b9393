import { isMeshError, MeshError } from '../../../contracts/errors.ts';
import type { Sale } from '../../../http/till.ts';
import type { Cluster } from '../../../ledger/ledger.ts';
import { formatUsdc } from '../../../platform/usdc.ts';
import { networkNames } from '../offer.ts';

const TIMEOUT_SECONDS = 60;

/** The offers of one route: what a payment has to be. */
export class Terms {
  readonly sale: Sale;
  readonly wallet: string;
  /** By the version of x402. */
  readonly #networks: readonly string[];
  readonly #cluster: Cluster;

  constructor(sale: Sale, wallet: string, cluster: Cluster) {
    this.sale = sale;
    this.wallet = wallet;
    this.#cluster = cluster;
    this.#networks = networkNames(cluster);
  }

  /** The one entry of `accepts` in version 2. */
  get accepted() {
    return {
      scheme: 'exact',
      network: this.#networks[0]!,
      amount: this.sale.price.toString(),
      asset: this.#cluster.usdcMint,
      payTo: this.wallet,
      maxTimeoutSeconds: TIMEOUT_SECONDS,
      extra: { feePayer: this.wallet },
    };
  }

  /** The network of version 1; undefined where that has no name for it. */
  get network(): string | undefined {
    return this.#networks[1];
  }

  networkOf(version: 1 | 2): string {
    return version === 2 ? this.#networks[0]! : (this.#networks[1] ?? this.#networks[0]!);
  }

  /** The answer that asks for a payment: the header of version 2 and the members of version 1. `field` tells what was wrong with one that came. */
  required(resource: string, field?: { readonly pointer: string; readonly message: string }): MeshError {
    const { sale, accepted, network } = this;
    const error = field
      ? `${field.pointer} ${field.message}`
      : 'This call is paid for with PAYMENT-SIGNATURE or X-PAYMENT.';
    const about = { url: resource, description: sale.summary, mimeType: 'application/json' };
    const offer = { x402Version: 2, error, resource: about, accepts: [accepted] };
    const { amount, ...common } = accepted;
    const older = {
      ...{ ...common, network: network!, maxAmountRequired: amount },
      ...{ resource, description: sale.summary, mimeType: 'application/json' },
    };
    return new MeshError('payment_required', {
      detail: field ? error : `${sale.line} costs ${formatUsdc(sale.price)} USDC.`,
      ...(field && { fields: [field] }),
      extra: { x402Version: 1, accepts: network === undefined ? [] : [older] },
      headers: {
        'cache-control': 'no-store',
        'payment-required': Buffer.from(JSON.stringify(offer)).toString('base64'),
        ...(field && refusal(this.networkOf(2), field.message)),
      },
    });
  }

  /** The receipt of a payment that was taken. */
  receipt(version: 1 | 2, payer: string, transaction: string): Record<string, string> {
    const network = this.networkOf(version);
    const receipt = {
      success: true,
      transaction,
      network,
      payer,
      ...(version === 2 && { amount: this.accepted.amount }),
    };
    return {
      'cache-control': 'no-store',
      [version === 2 ? 'payment-response' : 'x-payment-response']: inBase64(receipt),
    };
  }
}

function refusal(network: string, errorReason: string): Record<string, string> {
  const receipt = inBase64({ success: false, errorReason, transaction: '', network });
  return { 'payment-response': receipt, 'x-payment-response': receipt };
}

function inBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** The field that a refusal of the ledger's reader names, as a member of the payment; undefined for other errors. */
export function faultOf(error: unknown): { readonly pointer: string; readonly message: string } | undefined {
  if (!isMeshError(error) || error.code !== 'invalid_request') return undefined;
  const [field] = error.details.fields ?? [];
  return field && { pointer: `/payload${field.pointer}`, message: field.message };
}
