import { formatUsdc, invalidField } from '../../core/plugin.ts';
import type { LedgerAccounts, Self, Space } from '../../core/services.ts';
import { fitsChecksum } from './evm-address.ts';
import type { FeeTable } from './fee-table.ts';
import { depositorKey } from './gateway-deposits.ts';
import { type Chain, chainNamed, isAddress, SOLANA } from './settlement/chains.ts';
import { maxFee, platformFee } from './settlement/fees.ts';
import { GATEWAY_WALLETS } from './settlement/gateway.ts';
import { decodeAddress } from './settlement/solana/addresses.ts';
import { addresses, type Destination, depositors } from './stored.ts';

export interface DestinationCheckOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly self: Self;
  /** Undefined where there is no attestation service. */
  readonly fees: FeeTable | undefined;
}

const UNPAYABLE: readonly string[] = Object.values(GATEWAY_WALLETS);

/** Whether a destination can be paid. Money that is sent to a wrong one is gone, so each doubt is a refusal with its field. */
export class DestinationCheck {
  readonly #options: DestinationCheckOptions;

  constructor(options: DestinationCheckOptions) {
    this.#options = options;
  }

  /** Asks no service and no ledger: whoever has a key may call for it. */
  async fitting(
    agent: string,
    { chain: name, address }: Destination,
    [chainField, field]: readonly [string, string],
  ): Promise<Chain> {
    const chain = chainNamed(name)!;
    if (!isAddress(chain, address, decodeAddress)) throw invalidField(field, `is no address of ${name}`);
    if (chain.kind === 'evm') {
      await this.#checkEvm(chain, address, field);
      this.requireFees(chainField);
    } else if (address === this.#options.self.address) throw invalidField(field, 'is the wallet of this aggregator');
    if ((await this.#depositAddress(agent, chain)) === (chain.kind === 'evm' ? address.toLowerCase() : address))
      throw invalidField(field, 'is a deposit address of this agent, which the amount would come back to');
    return chain;
  }

  /** Reads the ledger. */
  async reachable(chain: Chain, { address }: Destination, field: string): Promise<void> {
    if (chain.name !== SOLANA || (await this.#options.ledger.usdc(address)) !== undefined) return;
    throw invalidField(field, 'has no USDC account on Solana; make one first (any USDC sent to the wallet does)');
  }

  /** Whether something is left of an amount behind the fees; asks the transfer service when its answer is old. */
  async worthwhile(chain: Chain, amount: bigint): Promise<void> {
    if (chain.name === SOLANA) return;
    const { fee } = await this.requireFees('/destination_chain').of(chain);
    const burnt = amount - platformFee(amount).fee;
    const most = maxFee(burnt, fee);
    if (most < burnt) return;
    throw invalidField(
      '/amount_usdc',
      `is less than the fees to ${chain.name}, which are up to ${formatUsdc(most)} USDC`,
    );
  }

  requireFees(pointer: string): FeeTable {
    const { fees } = this.#options;
    if (fees) return fees;
    throw invalidField(
      pointer,
      `is out of reach: this aggregator has no attestation service, and pays on ${SOLANA} alone`,
    );
  }

  async #checkEvm({ usdc }: Chain, address: string, field: string): Promise<void> {
    const plain = address.toLowerCase();
    if (Object.values(usdc).includes(plain)) throw invalidField(field, 'is the USDC contract, which cannot be paid');
    if (UNPAYABLE.includes(plain)) throw invalidField(field, 'is the contract of the gateway, where a payment is lost');
    if (!(await fitsChecksum(address)))
      throw invalidField(
        field,
        'does not fit its checksum, which its upper and lower case are (EIP-55): a character of it is wrong',
      );
  }

  async #depositAddress(agent: string, { name }: Chain): Promise<string | undefined> {
    const { space } = this.#options;
    const found =
      name === SOLANA
        ? await space.get(addresses.ref(agent))
        : await space.get(depositors.ref(depositorKey(agent, name)));
    return found?.address;
  }
}
