import { clusterName } from '../ledger/clusters.ts';
import { messageOf } from '../platform/problem.ts';
import { formatAgentId, parseAgentId } from '../protocol/identity/ids.ts';
import { command, Failure, type Terminal, UsageError } from './command.ts';
import { callRpc, hostOf } from './rpc-call.ts';

const STANDARD_URL = 'http://127.0.0.1:8899';
const START_ONE = 'Start a ledger with: mesh localnet';
const MAX_SOL = 1_000;
const MAX_USDC = 1_000_000;

/** `mesh faucet`: money on a localnet. */
export const faucet = command({
  summary: 'Gives SOL and USDC of a localnet to an address.',
  about: `Only a localnet, as mesh localnet and mesh dev have it, makes money. On devnet, SOL comes from https://faucet.solana.com and
USDC from https://faucet.circle.com.`,
  words: [{ name: 'ADDRESS', summary: 'who gets it' }],
  options: {
    sol: { takes: 'X', summary: `SOL, such as 0.5; at most ${MAX_SOL}` },
    usdc: { takes: 'Y', summary: `USDC, such as 100; at most ${MAX_USDC}; its token account is made when missing` },
    'rpc-url': { takes: 'URL', summary: 'an RPC node', variable: 'NODE_RPC_URL', default: STANDARD_URL },
  },
  examples: ['faucet ADDRESS --sol 1 --usdc 100'],
  async run(line, _, terminal) {
    const { json } = line.options;
    const { address, lamports, usdc, sol, minor, url } = wishOf(line, terminal.env);
    try {
      const call = (method: string, params?: readonly unknown[]) => callRpc(url, method, params, START_ONE);
      const cluster = clusterName(String(await call('getGenesisHash')));
      if (cluster !== 'localnet') {
        const what = cluster === 'unknown' ? 'a cluster that is no localnet' : cluster;
        throw new Error(`${hostOf(url)} is ${what}: only a localnet has a faucet.`);
      }
      const given: Record<string, unknown> = { address };
      if (lamports !== undefined) {
        given['sol'] = sol;
        given['sol_signature'] = await call('requestAirdrop', [address, Number(lamports)]);
        if (!json) terminal.out(`${sol} SOL to ${address}: ${given['sol_signature']}`);
      }
      if (minor !== undefined) {
        given['usdc'] = usdc;
        given['usdc_signature'] = await call('localnet_airdropUsdc', [address, Number(minor)]);
        if (!json) terminal.out(`${usdc} USDC to ${address}: ${given['usdc_signature']}`);
      }
      if (json) terminal.out(JSON.stringify(given));
      return 0;
    } catch (error) {
      throw new Failure(messageOf(error), { address }, error);
    }
  },
});

interface WishOptions {
  readonly sol: string | undefined;
  readonly usdc: string | undefined;
  readonly 'rpc-url': string | undefined;
}

function wishOf(
  { words: [named = ''], options }: { readonly words: readonly string[]; readonly options: WishOptions },
  env: Terminal['env'],
) {
  const { sol, usdc } = options;
  const key = parseAgentId(named);
  if (!key) throw new UsageError(`${named} is no address`);
  if (sol === undefined && usdc === undefined) throw new UsageError('say how much, by --sol or --usdc');
  const url = options['rpc-url'] ?? env['NODE_RPC_URL'] ?? STANDARD_URL;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`--rpc-url takes an http address`);
  const lamports = sol === undefined ? undefined : amount('--sol', sol, 9, MAX_SOL);
  const minor = usdc === undefined ? undefined : amount('--usdc', usdc, 6, MAX_USDC);
  return { address: formatAgentId(key), sol, usdc, lamports, minor, url };
}

function amount(flag: string, text: string, decimals: number, max: number): bigint {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(?:\.(\d+))?$/.exec(text) ?? [];
  const minor = whole === '' || fraction.length > decimals ? 0n : BigInt(whole + fraction.padEnd(decimals, '0'));
  if (minor > 0n && minor <= BigInt(max) * 10n ** BigInt(decimals)) return minor;
  throw new UsageError(`${flag} takes an amount up to ${max} with at most ${decimals} decimals, not ${text}`);
}
