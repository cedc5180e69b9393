import { definePlugin } from '../../core/plugin.ts';
import {
  AgentKeys,
  Agents,
  Clock,
  LedgerAccounts,
  OwnAsset,
  Peers,
  Random,
  Self,
  Transactions,
} from '../../core/services.ts';
import { AssetKeys } from './agent-keys.ts';
import { OwnRegistration } from './alias.ts';
import { config } from './config.ts';
import { RegistryGate } from './gate.ts';
import { LocalRegistration } from './local.ts';
import { Registrations } from './registrations.ts';
import { bindForOthers, bindOwn, forOthers, own } from './routes.ts';
import * as shapes from './shapes.ts';
import { Site } from './site.ts';

const uses = { ledger: LedgerAccounts, transactions: Transactions, self: Self, clock: Clock, random: Random };

/** The registry 8004 on Solana: registrations, the gate that asks for one, and the asset that this agent is known by. */
export const registry8004Plugin = definePlugin({
  name: 'registry8004',
  api: '2.1',
  summary: 'Registration of agents in the registry 8004, on the test cluster, and the gate that asks for it.',
  permissions: [
    'messages:gate',
    'money:sign:8oo4J9tBB3Hna1jRQ3rWvJjojqM5DYTDJo5cejUuJy3C',
    'money:sign:CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d',
  ],
  config,
  flags: {
    gate: { flag: '--registry-8004-disabled', type: 'off', summary: 'take envelopes from unregistered agents too' },
  },
  errors: {
    registry_not_test: [403, 'Registrations are made on the test cluster only.'],
    registration_unknown: [404, 'This registration was not prepared here, or too long ago.'],
    registration_expired: [410, 'The ledger takes this registration no more.'],
    registration_failed: [422, 'The ledger refused the registration.'],
  },
  schemas: [
    ...shapes.KEPT,
    ...[shapes.info, shapes.prepareRequest, shapes.prepared].map(({ schema }) => schema),
    ...[shapes.submitRequest, shapes.localRequest, shapes.registered].map(({ schema }) => schema),
  ],
  node: {
    uses: { ...uses, peers: Peers },
    provides: { asset: OwnAsset, keys: AgentKeys },
    routes: own,
    inboundGates: { registered: true },
    setup(services, { config: { gate: isOn }, space, log, note }) {
      const { ledger, clock, self } = services;
      const site = new Site(ledger, clock);
      const registry = site.found?.registry;
      if (isOn && !registry)
        throw new Error(
          'the gate of registered agents needs a ledger with the registry, and ' +
            `${site.cluster === undefined ? 'this node has none' : `there is none on ${site.cluster}`}; start with --rpc-url, or with --registry-8004-disabled to take envelopes from everybody`,
        );
      const hasSigned = async (id: string) => id === self.id || (await services.peers.get(id)) !== undefined;
      const gate = isOn && registry ? new RegistryGate(registry, { space, clock }) : undefined;
      const alias = new OwnRegistration(registry, { self, space, log });
      note(gate ? `gate: registered agents only (registry 8004, ${site.cluster})` : 'gate of the registry 8004: off');
      return {
        provides: { asset: alias, keys: new AssetKeys(registry, { space, clock, hasSigned }) },
        routes: bindOwn(site, new LocalRegistration(site, { ...services, space })),
        inboundGates: { registered: (question) => gate?.admit(question) ?? 'accepted' },
        health: () => alias.health() ?? gate?.health() ?? { state: 'ok' },
        ready: () => alias.require(),
        jobs: [{ name: 'own-asset', every: 600_000, run: () => alias.look() }],
      };
    },
  },
  aggregator: {
    uses: { ...uses, agents: Agents },
    provides: { keys: AgentKeys },
    routes: { ...own, ...forOthers },
    envelopes: { BEACON: true },
    setup(services, { space }) {
      const site = new Site(services.ledger, services.clock);
      const means = { ...services, space };
      const local = new LocalRegistration(site, means);
      const hasSigned = async (id: string) => (await services.agents.get(id)) !== undefined;
      const keys = new AssetKeys(site.found?.registry, { ...means, hasSigned });
      return {
        provides: { keys },
        routes: { ...bindOwn(site, local), ...bindForOthers(new Registrations(site, means)) },
        envelopes: {
          async BEACON({ payload: { asset } }) {
            if (asset !== undefined) await keys.heard(asset);
          },
        },
      };
    },
  },
});
