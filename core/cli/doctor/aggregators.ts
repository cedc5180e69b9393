import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Settings } from '../../contracts/settings.ts';
import { differenceOf } from '../../node/aggregators/same-network.ts';
import { VERSION } from '../../platform/version.ts';
import type { ClockReading } from './clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { look } from './http-look.ts';

/** Whether each aggregator is there, of the same network, and of a version that goes with this one. */
export async function aggregatorFindings(
  settings: Settings,
  genesisHash: string | undefined,
): Promise<{ findings: Finding[]; clocks: ClockReading[]; away: string[] }> {
  const looks = await Promise.all((settings.mesh.aggregators ?? []).map((url) => one(url, settings, genesisHash)));
  return {
    findings: looks.flatMap(({ findings }) => findings),
    clocks: looks.flatMap(({ clocks }) => clocks),
    away: looks.flatMap(({ away }) => away ?? []),
  };
}

interface Look {
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockReading[];
  /** The URL of one that does not answer. */
  readonly away?: string;
}

async function one(url: string, settings: Settings, genesisHash: string | undefined): Promise<Look> {
  const [network, version] = await Promise.all([look(url, '/network'), look(url, '/version')]);
  if ('why' in network) {
    const remedy = 'see that it runs and that --aggregator-url is its address';
    return { findings: [fail('aggregator', `${url} is away: ${network.why}`, remedy)], clocks: [], away: url };
  }
  const clocks = network.clock ? [network.clock] : [];
  return { findings: [networkFinding(url, network, settings, genesisHash), ...versionFindings(url, version)], clocks };
}

function networkFinding(
  url: string,
  { status, body }: { status: number; body: any },
  settings: Settings,
  genesisHash: string | undefined,
): Finding {
  if (status !== 200 || typeof body?.network_id !== 'string') {
    const text = `${url} answers, but does not say which network it is of (HTTP status ${status})`;
    return warn(
      'aggregator',
      text,
      'see that --aggregator-url leads to an aggregator, and ask its operator for network.id',
    );
  }
  const theirs = body as SchemaTypes['network'];
  const difference = differenceOf(ownNetwork(theirs, settings, genesisHash), theirs);
  if (difference) return fail('aggregator', `${url} ${difference.said}`, difference.remedy);
  return ok('aggregator', `${url} answers, network ${theirs.network_id}`);
}

/** The network by the configuration, to compare with the aggregator's. A value that it leaves out is not compared. */
function ownNetwork(
  theirs: SchemaTypes['network'],
  { network, ledger }: Settings,
  genesis: string | undefined,
): SchemaTypes['network'] {
  const [program, config] = [ledger.program ?? network.program, ledger.config ?? network.config];
  const genesisHash = program === undefined ? undefined : (genesis ?? network.genesisHash ?? theirs.genesis_hash);
  return {
    network_id: network.id ?? theirs.network_id,
    envelope_version: theirs.envelope_version,
    epoch_secs: theirs.epoch_secs,
    ...(genesisHash !== undefined && { genesis_hash: genesisHash }),
    ...(program !== undefined && { program }),
    ...(config !== undefined && { config }),
  };
}

function versionFindings(url: string, found: Awaited<ReturnType<typeof look>>): Finding[] {
  const theirs: unknown = 'why' in found ? undefined : found.body?.version;
  if (typeof theirs !== 'string') return [];
  const [own, other] = [VERSION, theirs].map((version) => version.split('.').slice(0, 2).join('.'));
  if (own === other) return [ok('version', `${url} runs ${theirs}, this is ${VERSION}`)];
  return [
    warn('version', `${url} runs ${theirs.slice(0, 32)}, this is ${VERSION}`, 'run the same version as the network'),
  ];
}
