import type { ProgramReport, ProgramTools } from '../ledger/program-deployment.ts';
import { type Command, type ExitCode, type Terminal, takeOption, UsageError } from './command.ts';
import { deploymentKeys, signerOfFile } from './keypairs.ts';
import { numbersOf } from './program-numbers.ts';
import { table } from './table.ts';
import { chosenAuthority, givenAuthority } from './upgrade-authority.ts';

const USAGE = `deploy --rpc-url URL --keypair FILE --network-id NAME (--upgrade-authority ADDRESS | --final) [options]
       mesh program verify --rpc-url URL --program ADDRESS [--config ADDRESS] [--network-id NAME]`;

const HELP = `mesh program ${USAGE}

deploy uploads the settlement program, deploys it, makes the config account of a mesh and hands the right to change the
program over. An interrupted run is taken up by the same command; another program at its address is never written over.
It is done when all of it is finalised and was read back. verify compares the finalised program with this version's, byte
for byte, and fails when something is wrong. Nobody has audited the program: read SECURITY.md.

  --rpc-url URL       an RPC node of the cluster (or NODE_RPC_URL)
  --keypair FILE      who pays: a Solana keypair file, or an identity of 32 bytes
  --network-id NAME   network.id of the mesh: part of everything its agents sign
  --treasury ADDRESS  wallet that gets leases and slashes (default: who pays)
  --keys FILE         where the keys of the new accounts are kept meanwhile (default: settlement-keys.json)
  --numbers FILE      JSON with other numbers than the protocol's, for a mesh that only tests
  --usdc-mint ADDRESS the mint, where the cluster has no official USDC
  --upgrade-authority ADDRESS
                      who may change the program afterwards: a multisig, not the key that pays ("payer", where money is
                      play money, is the key that pays). verify fails when it is somebody else
  --final             nobody may change the program afterwards. One of the two is needed, but on a localnet
  --json              one JSON object instead of sentences

Exit codes: 0 done and in order, 1 it did not work or something differs, 2 the command line is wrong.`;

/** `mesh program`, given what the ledger adapter can do. */
export function programCommand(load: () => Promise<ProgramTools>): Command {
  return {
    summary: 'Deploys the settlement program on a cluster, or verifies a deployed one.',
    usage: USAGE,
    help: HELP,
    async run([action, ...args], _, terminal): Promise<ExitCode> {
      if (action !== 'deploy' && action !== 'verify') throw new UsageError('say deploy or verify');
      const options = readOptions(args, terminal);
      try {
        return await (action === 'deploy' ? deploy : verify)(await load(), options, terminal);
      } catch (error) {
        if (error instanceof UsageError) throw error;
        terminal.error(error instanceof Error ? error.message : String(error));
        return 1;
      }
    },
  };
}

type Options = ReturnType<typeof readOptions>;
const TEXTS = [
  'upgrade-authority',
  'rpc-url',
  'keypair',
  'network-id',
  'treasury',
  'keys',
  'numbers',
  'usdc-mint',
  'program',
  'config',
];

function readOptions(args: readonly string[], terminal: Terminal) {
  const texts: Record<string, string | undefined> = {};
  let rest = [...args];
  for (const name of TEXTS) {
    const found = takeOption(rest, name, 'text');
    texts[name] = found.value;
    rest = found.rest;
  }
  const json = takeOption(rest, 'json', 'switch');
  const final = takeOption(json.rest, 'final', 'switch');
  if (final.rest.length > 0) throw new UsageError(`${final.rest[0]} is not an option of this command`);
  const rpcUrl = texts['rpc-url'] ?? terminal.env['NODE_RPC_URL'];
  if (!rpcUrl) throw new UsageError('--rpc-url is needed');
  const authority = givenAuthority(texts['upgrade-authority'], final.value);
  return { texts, rpcUrl, json: json.value, authority };
}

async function deploy(tools: ProgramTools, options: Options, terminal: Terminal): Promise<ExitCode> {
  const { texts, rpcUrl, json, authority } = options;
  const networkId = needed(texts, 'network-id');
  const payer = signerOfFile(needed(texts, 'keypair'));
  const keysFile = texts['keys'] ?? 'settlement-keys.json';
  const tell = (text: string) => json || terminal.out(text);
  const ask = json ? undefined : terminal.ask;
  const stop = new AbortController();
  void terminal.untilStopped().then(() => stop.abort(new Error('Stopped; run the same command again to go on.')));
  const deployed = await tools.deploy({
    rpcUrl,
    payer,
    keys: deploymentKeys(keysFile),
    networkId,
    treasury: texts['treasury'] ?? payer.address,
    ...(texts['usdc-mint'] !== undefined && { usdcMint: texts['usdc-mint'] }),
    ...(texts['numbers'] !== undefined && { numbers: numbersOf(texts['numbers']) }),
    authority: (cluster) => chosenAuthority(authority, cluster, { ask, tell }),
    progress: tell,
    signal: stop.signal,
  });
  const { program, config } = deployed;
  const settings = { network: { id: networkId }, ledger: { rpcUrl, program, config } };
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

async function verify(tools: ProgramTools, options: Options, terminal: Terminal): Promise<ExitCode> {
  const { texts, rpcUrl, json, authority } = options;
  if (authority === 'payer') throw new UsageError('verify knows no payer: give the address of the upgrade authority');
  const networkId = texts['network-id'];
  const report = await tools.verify({
    rpcUrl,
    program: needed(texts, 'program'),
    ...(texts['config'] !== undefined && { config: texts['config'] }),
    ...(networkId !== undefined && { networkId }),
    ...(authority !== undefined && { upgradeAuthority: authority === 'final' ? null : authority.address }),
    ...(texts['usdc-mint'] !== undefined && { usdcMint: texts['usdc-mint'] }),
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

function needed(texts: Options['texts'], name: string): string {
  const value = texts[name];
  if (value === undefined) throw new UsageError(`--${name} is needed`);
  return value;
}
