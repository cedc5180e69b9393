import type { RunningUpstreams, Upstreams } from '../../core/cli/dev/upstreams.ts';
import { MESSAGE_TRANSMITTER, TOKEN_MESSENGER } from '../../plugins/billing/settlement/index.ts';
import { LaunchpadServiceStandIn } from './launchpad-service.ts';
import { RegistryStandIn } from './registry-8004/stand-in.ts';
import { TradingServiceStandIn } from './trading-service.ts';
import { AttestationStandIn } from './transfer/attestation-service.ts';
import { GatewayStandIn } from './transfer/gateway-service.ts';
import { transferProgram } from './transfer/program.ts';

const SOL = 'So11111111111111111111111111111111111111112';
/** USDC of the localnet. */
const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const PLENTY_LAMPORTS = 10_000_000_000_000n;
const PLENTY_USDC = 1_000_000_000_000n;

/** Every stand-in at once, for `mesh dev --with-upstreams`. What they keep in memory is gone when they stop; the ledger keeps the rest. */
export const upstreams: Upstreams = {
  get programs() {
    const elf = transferProgram();
    return [
      ...RegistryStandIn.programs(),
      ...[TOKEN_MESSENGER, MESSAGE_TRANSMITTER].map((address) => ({ address, elf })),
    ];
  },
  async start({ url, faucet }): Promise<RunningUpstreams> {
    await RegistryStandIn.on({ url });
    const launchpad = await LaunchpadServiceStandIn.start('the-key-of-the-stand-in');
    launchpad.isMarket = true;
    launchpad.connect(url, USDC);
    const trading = await TradingServiceStandIn.start(url, 'the-key-of-the-stand-in');
    for (const maker of [launchpad.maker, trading.maker]) {
      await faucet.sol(maker, PLENTY_LAMPORTS);
      await faucet.usdc(maker, PLENTY_USDC);
    }
    trading.prices.set(USDC, { usdPrice: 1, decimals: 6 });
    trading.prices.set(SOL, { usdPrice: 150, decimals: 9 });
    const demo = await trading.token(0.5, 6, 'DEMO');
    trading.verified.add(demo);
    const attestation = await AttestationStandIn.start(() => url);
    const gateway = await GatewayStandIn.start();
    const call = (at: string) => ({ $grant: [`http:${new URL(at).host}`] });
    const launches = { apiUrl: launchpad.url, apiKey: launchpad.apiKey, ...call(launchpad.url) };
    return {
      services: [
        { name: 'launchpad', url: launchpad.url, about: 'for Bags, and for prices' },
        { name: 'market', url: trading.url, about: `for Jupiter; it trades the token DEMO, ${demo}` },
        { name: 'gateway', url: gateway.url, about: 'for the deposit gateway of other chains' },
        { name: 'attestation', url: attestation.url, about: 'for the attestation of burns, and the mints after them' },
      ],
      plugins: {
        node: {
          launchpad: { ...launches, pricesUrl: launchpad.pricesUrl },
          // The agents of the demo trade before anybody has registered them.
          registry8004: { gate: false },
          trade: { apiUrl: trading.url, apiKey: trading.apiKey, ...call(trading.url) },
        },
        aggregator: {
          billing: {
            attestationUrl: attestation.url,
            gatewayUrl: gateway.url,
            $grant: [...call(attestation.url).$grant, ...call(gateway.url).$grant],
          },
          sponsor: { ...launches, maxPerDay: 1_000, maxPerAgentPerDay: 1_000 },
        },
      },
      async stop() {
        launchpad.stop();
        await Promise.all([trading.stop(), attestation.stop(), gateway.stop()]);
      },
    };
  },
};
