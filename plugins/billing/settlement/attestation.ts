import { callJson, type Fetch, Reading, SettlementError } from './call-json.ts';
import { chainOf } from './chains.ts';
import { type FeePolicy, feeOf, platformFee, SECONDS, type Speed, type TransferFee, transferFee } from './fees.ts';
import { UsdcAmount } from './usdc-amount.ts';

/** Where the attestation service is. */
export const ATTESTATION_URLS = {
  mainnet: 'https://iris-api.circle.com',
  sandbox: 'https://iris-api-sandbox.circle.com',
} as const;

/** Seconds between two questions for an attestation; the last one goes on. */
export const POLL_SECONDS: readonly number[] = [5, 10, 20, 40, 60];

/** A burn that the service knows. */
export interface AttestedBurn {
  /** `0x` and hex; undefined until the service has seen enough of the burn. */
  readonly message: string | undefined;
  readonly attestation: string | undefined;
  readonly nonce: string | undefined;
  /** Why it is slower than it was asked to be. */
  readonly delay: string | undefined;
  /** The fate of the mint, where the service submits it. */
  readonly forward: 'PENDING' | 'CONFIRMED' | 'COMPLETE' | 'FAILED' | undefined;
  readonly forwardTx: string | undefined;
}

/** A message with its attestation, which anybody may submit on the destination chain. */
export interface Attested {
  readonly message: string;
  readonly attestation: string;
}

export interface SettlementEstimate {
  readonly amount: UsdcAmount;
  readonly speed: Speed;
  readonly transferFee: UsdcAmount;
  readonly platformFee: UsdcAmount;
  readonly totalFee: UsdcAmount;
  /** The amount that arrives. */
  readonly received: UsdcAmount;
  readonly seconds: { readonly least: number; readonly most: number };
}

export interface AttestationOptions {
  readonly url?: string;
  readonly fetch?: Fetch;
  /** Waits; for tests. */
  readonly sleep?: (ms: number) => Promise<void>;
}

const SERVICE = 'attestation service';
const HEX = /^0x[0-9a-f]+$/i;
const FORWARD = new Set(['PENDING', 'CONFIRMED', 'COMPLETE', 'FAILED']);

/** The cross-chain attestation service. Domains are ids of the table; the service gets its own. */
export class Attestation {
  readonly #url: string;
  readonly #fetch: Fetch;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor({ url = ATTESTATION_URLS.mainnet, fetch = globalThis.fetch, sleep = slept }: AttestationOptions = {}) {
    this.#url = url.replace(/\/+$/, '');
    this.#fetch = fetch;
    this.#sleep = sleep;
  }

  /** Bridging fees between two domains, one for each finality; with `forward` the fee for submitting the mint too. */
  async getFees(sourceDomain: number, destDomain: number, { forward = false } = {}): Promise<readonly TransferFee[]> {
    const [source, dest] = [chainOf(sourceDomain).wire, chainOf(destDomain).wire];
    const path = `/v2/burn/USDC/fees/${source}/${dest}${forward ? '?forward=true' : ''}`;
    const answer = new Reading(SERVICE, await callJson(this.#fetch, SERVICE, this.#url + path));
    // The service answers a bare list, and documents one under `data`.
    const list = Array.isArray(answer.raw) ? answer : answer.at('data');
    return list.list().map((one) => {
      const milliBps = milliBpsOf(one.at('minimumFee'));
      const given = one.at('forwardFee');
      const fee = { finality: one.at('finalityThreshold').number(), milliBps };
      return forward ? { ...fee, forward: given.at('high').units() } : fee;
    });
  }

  /** Asks the service about a burn; undefined while it has not seen it. Asks once. */
  async find(sourceDomain: number, txHash: string): Promise<AttestedBurn | undefined> {
    const { wire } = chainOf(sourceDomain);
    const url = `${this.#url}/v2/messages/${wire}?transactionHash=${encodeURIComponent(txHash)}`;
    const found = await callJson(this.#fetch, SERVICE, url).catch((error: unknown) => {
      if (error instanceof SettlementError && error.status === 404) return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const [first] = new Reading(SERVICE, found).at('messages').list();
    return first && burnOf(first);
  }

  /**
   * Asks until there is an attestation for a burn. Pauses are `pollSecs` first and double up to 60 seconds. Rejects with a SettlementError
   * after `maxAttempts`, and at once when the service refuses; it not answering costs an attempt.
   */
  async waitForAttestation(sourceDomain: number, txHash: string, pollSecs = 5, maxAttempts = 30): Promise<Attested> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await this.#sleep(Math.min(pollSecs * 2 ** (attempt - 1), 60) * 1_000);
      const found = await this.find(sourceDomain, txHash).catch((error: unknown) => {
        if (error instanceof SettlementError && isPassing(error)) return undefined;
        throw error;
      });
      if (found?.message !== undefined && found.attestation !== undefined)
        return { message: found.message, attestation: found.attestation };
    }
    throw new SettlementError(`there is no attestation for ${txHash} after ${maxAttempts} attempts`);
  }

  /** Total cost and transfer time of a settlement, with the mint submitted by the service. */
  async estimateSettlement(
    source: number,
    dest: number,
    amountUsdc: UsdcAmount,
    feePolicy: FeePolicy = 'fast',
  ): Promise<SettlementEstimate> {
    const chosen = feeOf(await this.getFees(source, dest, { forward: true }), feePolicy);
    if (!chosen)
      throw new SettlementError(`the ${SERVICE} offers no transfer between the domains ${source} and ${dest}`);
    return estimateOf(amountUsdc.minor, chosen);
  }
}

/** The estimate of a settlement by fees that are known. */
export function estimateOf(
  amount: bigint,
  { speed, fee }: { readonly speed: Speed; readonly fee: TransferFee },
): SettlementEstimate {
  const platform = platformFee(amount).fee;
  const transfer = transferFee(amount - platform, fee);
  const total = platform + transfer;
  return {
    amount: new UsdcAmount(amount),
    speed,
    transferFee: new UsdcAmount(transfer),
    platformFee: new UsdcAmount(platform),
    totalFee: new UsdcAmount(total),
    received: new UsdcAmount(total < amount ? amount - total : 0n),
    seconds: SECONDS[speed],
  };
}

function burnOf(one: Reading): AttestedBurn {
  const optional = (member: string) => {
    const { raw } = one.at(member);
    return typeof raw === 'string' && raw !== '' ? raw : undefined;
  };
  const complete = one.at('status').text() === 'complete';
  const [message, attestation] = [optional('message'), optional('attestation')];
  const forward = optional('forwardState');
  if (forward !== undefined && !FORWARD.has(forward)) throw one.at('forwardState').wrong('a state of a forwarded mint');
  return {
    message: complete && message !== undefined && HEX.test(message) ? message : undefined,
    attestation: complete && attestation !== undefined && HEX.test(attestation) ? attestation : undefined,
    nonce: optional('eventNonce'),
    delay: optional('delayReason'),
    forward: forward as AttestedBurn['forward'],
    forwardTx: optional('forwardTxHash'),
  };
}

/** Hundredths of a percent with at most three decimals, exactly: a float would round 1.3. */
function milliBpsOf(reading: Reading): bigint {
  const match = /^(\d{1,6})(?:\.(\d{1,3})0*)?$/.exec(String(reading.number()));
  if (!match) throw reading.wrong('a fee in basis points');
  return BigInt(match[1]! + (match[2] ?? '').padEnd(3, '0'));
}

function isPassing({ status }: SettlementError): boolean {
  return status === undefined || status === 429 || status >= 500;
}

function slept(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
