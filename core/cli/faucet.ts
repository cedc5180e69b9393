import { formatAgentId, parseAgentId } from '../identity/ids.ts';
import { clusterName } from '../ledger/clusters.ts';
import { messageOf } from '../problem.ts';
import { type Command, takeOption, UsageError } from './command.ts';
import { callRpc, hostOf } from './rpc-call.ts';

const STANDARD_URL = 'http://127.0.0.1:8899';
const START_ONE = 'Start a ledger with: mesh localnet';
const MAX_SOL = 1_000;
const MAX_USDC = 1_000_000;
const USAGE = 'ADDRESS [--sol X] [--usdc Y] [--rpc-url URL] [--json]';

const HELP = `mesh faucet ${USAGE}

Gives SOL and USDC of a localnet to any address, as mesh localnet and mesh dev have it. Every other cluster is refused.

  --sol X        SOL, such as 0.5; at most ${MAX_SOL}
  --usdc Y       USDC, such as 100; at most ${MAX_USDC}; its token account is made when missing
  --rpc-url URL  an RPC node (or NODE_RPC_URL; default ${STANDARD_URL})
  --json         one JSON object instead of sentences

Exit codes: 0 it has landed, 1 it did not work, 2 the command line is wrong.`;

/** `mesh faucet`: money on a localnet. */
export const faucet: Command = {
  summary: 'Gives SOL and USDC of a localnet to an address.',
  usage: USAGE,
  help: HELP,
  async run(args, _, terminal) {
    const { address, lamports, usdc, sol, minor, url, json } = readOptions(args, terminal.env);
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
      terminal.error(messageOf(error));
      return 1;
    }
  },
};

function readOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const { value: sol, rest: afterSol } = takeOption(args, 'sol', 'text');
  const { value: usdc, rest: afterUsdc } = takeOption(afterSol, 'usdc', 'text');
  const { value: given, rest: afterUrl } = takeOption(afterUsdc, 'rpc-url', 'text');
  const { value: json, rest } = takeOption(afterUrl, 'json', 'switch');
  const [named = '', ...others] = rest;
  if (others.length > 0) throw new UsageError(`${others[0]} is not an option of this command`);
  const key = parseAgentId(named);
  if (!key) throw new UsageError(named === '' ? 'an address is needed' : `${named} is no address`);
  if (sol === undefined && usdc === undefined) throw new UsageError('say how much, by --sol or --usdc');
  const url = given ?? env['NODE_RPC_URL'] ?? STANDARD_URL;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`--rpc-url takes an http address`);
  const lamports = sol === undefined ? undefined : amount('--sol', sol, 9, MAX_SOL);
  const minor = usdc === undefined ? undefined : amount('--usdc', usdc, 6, MAX_USDC);
  return { address: formatAgentId(key), sol, usdc, lamports, minor, url, json };
}

function amount(flag: string, text: string, decimals: number, max: number): bigint {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(?:\.(\d+))?$/.exec(text) ?? [];
  const minor = whole === '' || fraction.length > decimals ? 0n : BigInt(whole + fraction.padEnd(decimals, '0'));
  if (minor > 0n && minor <= BigInt(max) * 10n ** BigInt(decimals)) return minor;
  throw new UsageError(`${flag} takes an amount up to ${max} with at most ${decimals} decimals, not ${text}`);
}
