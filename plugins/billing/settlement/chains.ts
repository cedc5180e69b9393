/** A domain as the transfer service (CCTP) numbers it. Only these numbers go over the wire. */
export type WireDomain = number & { readonly __wire: 'domain' };

export interface Chain {
  /** Lower case, as `chain` and `destination_chain` take it. */
  readonly name: string;
  /** The domain id that the API shows. For six chains the transfer service uses another number. */
  readonly domainId: number;
  readonly wire: WireDomain;
  readonly kind: 'solana' | 'evm';
  /** USDC on mainnet and on the test network. */
  readonly usdc: { readonly mainnet: string; readonly testnet: string };
  /** Whether the gateway keeps deposits there. */
  readonly gateway: boolean;
  /** Whether a burn there can be attested before it is final; elsewhere finality is quick. */
  readonly fastSource: boolean;
}

export const SOLANA = 'solana';

const evm = (
  name: string,
  domainId: number,
  wire: number,
  [mainnet, testnet]: readonly [string, string],
  { gateway = true, fastSource = true } = {},
): Chain => ({
  name,
  domainId,
  wire: wire as WireDomain,
  kind: 'evm',
  usdc: { mainnet: mainnet.toLowerCase(), testnet: testnet.toLowerCase() },
  gateway,
  fastSource,
});

export const CHAINS: readonly Chain[] = [
  evm('ethereum', 0, 0, ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238']),
  evm('avalanche', 1, 1, ['0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', '0x5425890298aed601595a70ab815c96711a31bc65'], {
    fastSource: false,
  }),
  evm('optimism', 2, 2, ['0x0b2c639c533813f4aa9d7837caf62653d097ff85', '0x5fd84259d66Cd46123540766Be93DFE6D43130D7']),
  evm('arbitrum', 3, 3, ['0xaf88d065e77c8cc2239327c5edb3a432268e5831', '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d']),
  {
    name: SOLANA,
    domainId: 5,
    wire: 5 as WireDomain,
    kind: 'solana',
    usdc: {
      mainnet: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      testnet: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    },
    gateway: true,
    fastSource: true,
  },
  evm('base', 6, 6, ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', '0x036CbD53842c5426634e7929541eC2318f3dCF7e']),
  evm('polygon', 7, 7, ['0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', '0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582'], {
    fastSource: false,
  }),
  evm('linea', 11, 11, ['0x176211869ca2b568f2a7d4ee941e073a821ee1ff', '0xfece4462d57bd51a6a552365a011b95f0e16d9b7'], {
    gateway: false,
  }),
  evm('sei', 12, 16, ['0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', '0x4fCF1784B31630811181f670Aea7A7bEF803eaED'], {
    fastSource: false,
  }),
  evm('unichain', 16, 10, ['0x078D782b760474a361dDA0AF3839290b0EF57AD6', '0x31d0220469e10c4E71834a79b1f276d740d3768F']),
  evm('world chain', 25, 14, [
    '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1',
    '0x66145f38cBAC35Ca6F1Dfb4914dF98F1614aeA88',
  ]),
  evm(
    'hyperevm',
    1420,
    19,
    ['0xb88339CB7199b77E23DB6E890353E22632Ba630f', '0x2B3370eE501B4a559b57D449569354196457D8Ab'],
    { fastSource: false },
  ),
  evm(
    'sonic',
    64165,
    13,
    ['0x29219dd400f2Bf60E5a23d13Be72B486D4038894', '0x0BA304580ee7c9a980CF72e55f5Ed2E9fd30Bc51'],
    {
      fastSource: false,
    },
  ),
  evm('ink', 65536, 21, ['0x2D270e6886d130D724215A266106e6832161EAEd', '0xFabab97dCE620294D2B0b0e46C68964e326300Ac'], {
    gateway: false,
  }),
];

const BY_NAME = new Map(CHAINS.map((chain) => [chain.name, chain]));
const BY_ID = new Map(CHAINS.map((chain) => [chain.domainId, chain]));

export function chainNamed(name: string): Chain | undefined {
  return BY_NAME.get(name);
}

/** By the domain id that the API shows. Throws a RangeError for one that is in no row. */
export function chainOf(domainId: number): Chain {
  const chain = BY_ID.get(domainId);
  if (!chain) throw new RangeError(`there is no chain with the domain id ${domainId}`);
  return chain;
}

/** Whether a text is an address of that chain that can hold USDC; for EVM, an all-zero one is not. */
export function isAddress({ kind }: Chain, text: string, decode: (base58: string) => Uint8Array | undefined): boolean {
  if (kind === 'evm') return /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0{40}$/.test(text);
  return decode(text)?.length === 32;
}
