import type { ProgramReport, ProgramTools } from '../ledger/program-deployment.ts';
import { messageOf } from '../platform/problem.ts';
import {
  type Call,
  type CommandGroup,
  command,
  type ExitCode,
  Failure,
  type Options,
  type Terminal,
  UsageError,
} from './command.ts';
import { deploymentKeys, signerOfFile } from './keypairs.ts';
import { numbersOf } from './program-numbers.ts';
import { table } from './table.ts';
import { chosenAuthority, givenAuthority } from './upgrade-authority.ts';

const RPC_URL = {
  'rpc-url': { takes: 'URL', summary: 'an RPC node of the cluster', variable: 'NODE_RPC_URL' },
} as const satisfies Options;
const USDC_MINT = {
  'usdc-mint': { takes: 'ADDRESS', summary: 'the mint, where the cluster has no official USDC' },
} as const satisfies Options;

const DEPLOY = {
  ...RPC_URL,
  keypair: { takes: 'FILE', summary: 'who pays: a Solana keypair file, or an identity of 32 bytes' },
  'network-id': { takes: 'NAME', summary: 'network.id of the mesh: part of everything its agents sign' },
  'upgrade-authority': {
    takes: 'ADDRESS',
    summary: 'who may change the program afterwards: a multisig; "payer" is the key that pays, for play money',
  },
  final: { summary: 'nobody may change the program afterwards; one of the two is needed, but on a localnet' },
  treasury: { takes: 'ADDRESS', summary: 'wallet that gets leases and slashes', default: 'who pays' },
  keys: {
    takes: 'FILE',
    summary: 'where the keys of the new accounts are kept meanwhile',
    default: 'settlement-keys.json',
  },
  numbers: { takes: 'FILE', summary: "JSON with other numbers than the protocol's, for a mesh that only tests" },
  ...USDC_MINT,
} as const satisfies Options;

const VERIFY = {
  ...RPC_URL,
  program: { takes: 'ADDRESS', summary: 'the program' },
  config: { takes: 'ADDRESS', summary: 'its config account' },
  'network-id': { takes: 'NAME', summary: 'network.id of the mesh that the config must be of' },
  'upgrade-authority': { takes: 'ADDRESS', summary: 'who must be the one to change it; anybody else is a problem' },
  final: { summary: 'nobody must be able to change it' },
  ...USDC_MINT,
} as const satisfies Options;

/** `mesh program`, given what the ledger adapter can do. */
export function programCommand(load: () => Promise<ProgramTools>): CommandGroup {
  return {
    summary: 'Deploys the settlement program on a cluster, or verifies a deployed one.',
    commands: {
      deploy: command({
        summary: 'Deploys the settlement program and makes the config account of a mesh.',
        about: `It hands the right to change the program over and is done when all of it is finalised and was read back. An
interrupted run is taken up by the same command; another program at its address is never written over. Nobody has audited
the program: read SECURITY.md. Devnet's SOL comes from https://faucet.solana.com.`,
        options: DEPLOY,
        examples: ['program deploy --rpc-url URL --keypair FILE --network-id NAME --upgrade-authority MULTISIG'],
        run: (call, _, terminal) => attempt(async () => deploy(await load(), call.options, terminal)),
      }),
      verify: command({
        summary: "Compares a finalised program with this version's, byte for byte; fails when something is wrong.",
        options: VERIFY,
        examples: ['program verify --rpc-url URL --program ADDRESS --config ADDRESS'],
        run: (call, _, terminal) => attempt(async () => verify(await load(), call.options, terminal)),
      }),
    },
  };
}

async function attempt(run: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError || error instanceof Failure) throw error;
    throw new Failure(messageOf(error), {}, error);
  }
}

type Deploy = Call<typeof DEPLOY>['options'];
type Verify = Call<typeof VERIFY>['options'];

function rpcUrlOf(given: string | undefined, { env }: Terminal): string {
  const url = given ?? env['NODE_RPC_URL'];
  if (!url) throw new UsageError('--rpc-url is needed');
  return url;
}

async function deploy(tools: ProgramTools, options: Deploy, terminal: Terminal): Promise<ExitCode> {
  const { json } = options;
  const rpcUrl = rpcUrlOf(options['rpc-url'], terminal);
  const authority = givenAuthority(options['upgrade-authority'], options.final);
  const networkId = needed(options, 'network-id');
  const payer = signerOfFile(needed(options, 'keypair'));
  const keysFile = options.keys ?? 'settlement-keys.json';
  const mint = options['usdc-mint'];
  const tell = (text: string) => json || terminal.out(text);
  const ask = json ? undefined : terminal.ask;
  const stop = new AbortController();
  void terminal.untilStopped().then(() => stop.abort(new Error('Stopped; run the same command again to go on.')));
  const deployed = await tools.deploy({
    rpcUrl,
    payer,
    keys: deploymentKeys(keysFile),
    networkId,
    treasury: options.treasury ?? payer.address,
    ...(mint !== undefined && { usdcMint: mint }),
    ...(options.numbers !== undefined && { numbers: numbersOf(options.numbers) }),
    authority: (cluster) => chosenAuthority(authority, cluster, { ask, tell }),
    progress: tell,
    signal: stop.signal,
  });
  const { program, config } = deployed;
  const settings = { network: { id: networkId }, ledger: { rpcUrls: [rpcUrl], program, config } };
  if (json) terminal.out(JSON.stringify({ ...deployed, settings }));
  else
    terminal.out(
      [
        '',
        'The settlement program is in place. Put this into plugins.json of every node and aggregator of the mesh:',
        '',
        JSON.stringify(settings, undefined, 2),
        '',
        `or start them with --network-id ${networkId} --ledger-program ${program} --ledger-config ${config}`,
        `Network: ${networkId}, hash ${deployed.network}.`,
        `Treasury: ${deployed.treasury}. Upgrades: ${authorityText(deployed.upgradeAuthority)}.`,
        `The keys in ${keysFile} are no longer needed; delete the file.`,
      ].join('\n'),
    );
  return 0;
}

async function verify(tools: ProgramTools, options: Verify, terminal: Terminal): Promise<ExitCode> {
  const { json, config, 'network-id': networkId, 'usdc-mint': usdcMint } = options;
  const rpcUrl = rpcUrlOf(options['rpc-url'], terminal);
  const authority = givenAuthority(options['upgrade-authority'], options.final);
  if (authority === 'payer') throw new UsageError('verify knows no payer: give the address of the upgrade authority');
  const report = await tools.verify({
    rpcUrl,
    program: needed(options, 'program'),
    ...(config !== undefined && { config }),
    ...(networkId !== undefined && { networkId }),
    ...(authority !== undefined && { upgradeAuthority: authority === 'final' ? null : authority.address }),
    ...(usdcMint !== undefined && { usdcMint }),
  });
  terminal.out(
    json
      ? JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      : told(report, networkId),
  );
  return report.problems.length === 0 ? 0 : 1;
}

function told(report: ProgramReport, networkId: string | undefined): string {
  const { cluster, slot, time, program, comparison, matches, upgradeAuthority, config, problems } = report;
  const rows: string[][] = [
    ['cluster', cluster],
    ['as of', `finalised slot ${slot}, ${new Date(time * 1_000).toISOString()}`],
    ['program', `${program}, ${matches ? 'the same bytes as this version' : 'NOT the bytes of this version'}`],
    ...(comparison ? [['bytes', `${comparison.found.bytes}, SHA-256 ${comparison.found.sha256}`]] : []),
    ...(comparison ? [['upgrades', authorityText(upgradeAuthority)]] : []),
    ...(networkId !== undefined ? [['network id', networkId]] : []),
  ];
  if (config) {
    const { numbers, network, address, ...facts } = config;
    rows.push(['config', address], ...Object.entries(facts), ['network hash', network]);
    rows.push(...Object.entries(numbers).map(([name, value]) => [name, `${value}`]));
  }
  return [table(rows), ...problems.map((problem) => `problem: ${problem}`)].join('\n');
}

function authorityText(authority: string | null): string {
  return authority === null ? 'nobody can change the program' : `${authority} can change the program`;
}

function needed<Name extends string>(options: Readonly<Record<Name, string | undefined>>, name: Name): string {
  const value = options[name];
  if (value === undefined) throw new UsageError(`--${name} is needed`);
  return value;
}
