import { callJson, type Fetch, Reading } from './call-json.ts';
import { CHAINS, chainOf } from './chains.ts';
import { UsdcAmount } from './usdc-amount.ts';

/** Where the gateway is. */
export const GATEWAY_URLS = {
  mainnet: 'https://gateway-api.circle.com',
  testnet: 'https://gateway-api-testnet.circle.com',
} as const;

/** The gateway's wallet contract, the same on every EVM chain. A plain transfer to it is lost: a depositor calls `depositFor`. */
export const GATEWAY_WALLETS = {
  mainnet: '0x77777777dcc4d5a8b6e418fd04d8997ef11000ee',
  testnet: '0x0077777d7eba4688bdef3e311b846f25870a19b9',
} as const;

export interface GatewayChain {
  /** Undefined for a chain that is in no row of the table. */
  readonly domainId: number | undefined;
  readonly name: string;
  readonly network: string;
  /** Addresses of tokens that the gateway takes there. */
  readonly tokens: readonly string[];
}

export interface GatewayBalance {
  readonly domainId: number;
  readonly depositor: string;
  readonly balance: UsdcAmount;
}

export interface DepositCheck {
  readonly arrived: boolean;
  readonly balance: UsdcAmount;
}

const SERVICE = 'gateway';

/** The cross-chain deposit gateway. It gives no deposit addresses: a depositor calls its wallet contract. */
export class Gateway {
  readonly #url: string;
  readonly #fetch: Fetch;

  constructor({
    url = GATEWAY_URLS.mainnet,
    fetch = globalThis.fetch,
  }: { readonly url?: string; readonly fetch?: Fetch } = {}) {
    this.#url = url.replace(/\/+$/, '');
    this.#fetch = fetch;
  }

  /** The chains and tokens that it supports. */
  async info(): Promise<readonly GatewayChain[]> {
    const answer = new Reading(SERVICE, await callJson(this.#fetch, SERVICE, `${this.#url}/v1/info`));
    return answer
      .at('domains')
      .list()
      .map((one) => {
        const wire = one.at('domain').number();
        const wallet = one.at('walletContract');
        const tokens = wallet.raw === undefined ? [] : wallet.at('supportedTokens').list();
        return {
          domainId: CHAINS.find((chain) => chain.wire === wire)?.domainId,
          name: one.at('chain').text(),
          network: one.at('network').text(),
          tokens: tokens.map((token) => token.text()),
        };
      });
  }

  /** Balances of a depositor in the given domains, by the ids of the table; in all of them unless given. */
  async balances(token: 'USDC', depositor: string, domains?: readonly number[]): Promise<readonly GatewayBalance[]> {
    return this.balancesOf(token, domains?.map((domainId) => ({ depositor, domainId })) ?? [{ depositor }]);
  }

  /** The same of several depositors, with one call. */
  async balancesOf(
    token: 'USDC',
    wanted: readonly { readonly depositor: string; readonly domainId?: number }[],
  ): Promise<readonly GatewayBalance[]> {
    const sources = wanted.map(({ depositor, domainId }) => ({
      depositor,
      ...(domainId !== undefined && { domain: chainOf(domainId).wire }),
    }));
    const answer = new Reading(
      SERVICE,
      await callJson(this.#fetch, SERVICE, `${this.#url}/v1/balances`, { token, sources }),
    );
    return answer
      .at('balances')
      .list()
      .flatMap((one) => {
        const wire = one.at('domain').number();
        const chain = CHAINS.find((row) => row.wire === wire);
        if (!chain) return [];
        return {
          domainId: chain.domainId,
          depositor: one.at('depositor').text(),
          balance: amountOf(one.at('balance')),
        };
      });
  }

  /** Whether the depositor has at least `previousBalance` and `expectedAmount` together, over all domains or the given ones. */
  async verifyDeposit(
    depositor: string,
    expectedAmount: UsdcAmount,
    previousBalance: UsdcAmount,
    domains?: readonly number[],
  ): Promise<DepositCheck> {
    const found = await this.balances('USDC', depositor, domains);
    const sum = found.reduce((all, { balance }) => all + balance.minor, 0n);
    return { arrived: sum >= previousBalance.minor + expectedAmount.minor, balance: new UsdcAmount(sum) };
  }
}

function amountOf(reading: Reading): UsdcAmount {
  try {
    return UsdcAmount.parse(reading.text());
  } catch {
    throw reading.wrong('a decimal amount');
  }
}
