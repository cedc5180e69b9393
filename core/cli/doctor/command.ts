import type { Configuration } from '../../host/config/configuration.ts';
import type { Adapters } from '../../host/wiring/adapters.ts';
import { meshUrl } from '../../mesh/transport.ts';
import { describeProblem } from '../../platform/problem.ts';
import { type Command, command } from '../command.ts';
import { checkConfigured } from '../configured.ts';
import type { StartLocalnet } from '../dev/mesh.ts';
import { table } from '../table.ts';
import { lookAtAddress } from './address.ts';
import { aggregatorFindings } from './aggregators.ts';
import { clockFinding } from './clock.ts';
import { dataFindings } from './data-folder.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { lookAtHubs } from './hubs.ts';
import { lookAtLedger } from './ledger.ts';
import { engineFinding, programFinding, redisServerFinding } from './machine.ts';
import { storeFindings } from './store.ts';

export interface DoctorTools {
  readonly localnet: () => Promise<StartLocalnet>;
  readonly adapters: Adapters;
}

/** Looks at the machine and dials all that is configured, before anything is started on it or while it runs. */
export function doctorCommand({ localnet, adapters }: DoctorTools): Command {
  return command({
    summary: 'Looks at this machine and dials everything that is configured, and says what is wrong and what helps.',
    about: `It dials the store, the aggregators, the hubs and the RPCs, compares clocks, networks and versions, looks at the data
folder, its disk and the wallet, and has a hub dial the public URL. It changes nothing and may run beside the node.`,
    options: {},
    flags: 'all',
    examples: ['doctor', 'doctor --config node.json'],
    async run({ options: { json }, flags }, composition, terminal) {
      const { configuration, problems } = await checkConfigured(flags, composition, terminal);
      const { settings, warnings } = configuration;
      const findings = [
        programFinding(),
        ...problems.map((problem) => fail('configuration', describeProblem(problem))),
        ...warnings.map((warning) => warn('configuration', describeProblem(warning))),
        ...(problems.length === 0 ? [ok('configuration', `a start as ${settings.profile} can be made`)] : []),
        ...(await dataFindings(settings.dataDir ?? '')),
        ...(problems.length === 0 ? await dialled(configuration, adapters) : []),
        await engineFinding(localnet),
        redisServerFinding(terminal.env['PATH'] ?? ''),
      ];
      const isWell = findings.every(({ state }) => state !== 'fail');
      if (json) terminal.out(JSON.stringify({ ok: isWell, findings }));
      else terminal.out(table(findings.map((finding) => [finding.state, finding.name, sentenceOf(finding)])));
      return isWell ? 0 : 1;
    },
  });
}

/** Findings that need an answer from a store, ledger, aggregator, hub or running node. */
async function dialled(configuration: Configuration, adapters: Adapters): Promise<Finding[]> {
  const { settings, listen } = configuration;
  const address = await lookAtAddress(listen);
  const [store, ledger] = await Promise.all([storeFindings(configuration, adapters), lookAtLedger(settings)]);
  const [aggregators, hubs] = await Promise.all([
    aggregatorFindings(settings, ledger.genesisHash),
    lookAtHubs(configuration, adapters, address.isFree),
  ]);
  const clocks = [...hubs.clocks, ...aggregators.clocks, ...ledger.clocks];
  const named = new Set(aggregators.away.map(meshUrl));
  // An aggregator that is away is named once: that it is no hub, and that the node says so too, is the same fault.
  const isNamed = ({ name, text }: Finding) =>
    name === 'running' &&
    /^(aggregators|mesh): /.test(text) &&
    [...aggregators.away, ...named].some((url) => text.includes(url));
  const running = address.findings.filter((finding) => !isNamed(finding));
  const dialledHubs = [...hubs.hubs].filter(([url]) => !named.has(url)).map(([, finding]) => finding);
  return [
    ...[...running, ...store, ...aggregators.findings, ...dialledHubs, ...hubs.findings, ...ledger.findings],
    clockFinding(clocks),
  ];
}

function sentenceOf({ text, remedy }: Finding): string {
  return remedy === undefined ? text : `${text}; ${remedy}`;
}
