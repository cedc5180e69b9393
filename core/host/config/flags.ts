/**
 * A flag of `mesh start` and the key of plugins.json it sets. The environment variable of a flag is its name in
 * capitals with `NODE_` in front: `--api-secret` is `NODE_API_SECRET`. A flag wins over a variable, a variable over
 * the file. A flag of a plugin enables it where this package brings it along.
 */
export interface Flag {
  readonly name: string;
  readonly key: string;
  /** `off` is a switch that stores false; `list` may be repeated, or hold commas. */
  readonly type: 'text' | 'integer' | 'switch' | 'off' | 'list';
  /** A path: relative to the working directory, unlike paths in the file. */
  readonly path?: true;
  /** Its value must not stand on a command line, which every user of the machine can read. */
  readonly secret?: true;
  readonly summary: string;
  /** The key in plugins.json of the plugin that declares it; undefined for those of core. */
  readonly plugin?: string;
}

/** The flags of core; plugins declare theirs. */

export const FLAGS: readonly Flag[] = [
  { name: 'profile', key: 'profile', type: 'text', summary: 'node or aggregator' },
  { name: 'api-addr', key: 'listen', type: 'text', summary: 'address and port of the API' },
  { name: 'public-api-addr', key: 'listen', type: 'text', summary: 'the same, for nodes that others reach' },
  { name: 'public-api-url', key: 'api.publicUrl', type: 'text', summary: 'URL at which others reach the API' },
  { name: 'data-dir', key: 'dataDir', type: 'text', path: true, summary: 'folder of identity, secrets and data' },
  {
    name: 'api-secret',
    key: 'api.secret',
    type: 'text',
    secret: true,
    summary: 'Bearer value of calls that change something; one is made in the data folder without it',
  },
  { name: 'api-read-auth', key: 'api.readAuth', type: 'switch', summary: 'ask for the secret on reads too' },
  { name: 'api-open-loopback', key: 'api.openLoopback', type: 'switch', summary: 'no secret on loopback at all' },
  { name: 'api-hosts', key: 'api.hosts', type: 'list', summary: 'host names by which the API may be called' },
  { name: 'cors-origins', key: 'api.corsOrigins', type: 'list', summary: 'origins of web pages that may call' },
  { name: 'trust-proxy', key: 'api.trustProxy', type: 'integer', summary: 'number of reverse proxies in front' },
  { name: 'aggregator-url', key: 'mesh.aggregators', type: 'list', summary: 'aggregators to meet others through' },
  { name: 'hubs', key: 'mesh.hubs', type: 'list', summary: 'nodes that relay for this one, by URL' },
  { name: 'relay-server', key: 'mesh.relayServer', type: 'switch', summary: 'be a hub: relay for others' },
  {
    name: 'allow-private-peers',
    key: 'mesh.allowPrivatePeers',
    type: 'switch',
    summary: 'dial peers in private networks',
  },
  { name: 'network-id', key: 'network.id', type: 'text', summary: 'which mesh to join' },
  { name: 'agent-id', key: 'agent.id', type: 'text', summary: 'who this must be; another key is refused' },
  { name: 'keypair-path', key: 'agent.keyFile', type: 'text', path: true, summary: 'file of the identity' },
  { name: 'agent-name', key: 'agent.name', type: 'text', summary: 'name shown to others' },
  {
    name: 'capabilities',
    key: 'agent.capabilities',
    type: 'list',
    summary: 'what the agent can do, for others to find',
  },
  { name: 'geo-country', key: 'agent.geo.country', type: 'text', summary: 'two letters of the country it is in' },
  { name: 'geo-city', key: 'agent.geo.city', type: 'text', summary: 'the city it is in' },
  { name: 'rpc-url', key: 'ledger.rpcUrls', type: 'list', summary: 'RPC of the ledger; two must agree about money' },
  { name: 'ledger-program', key: 'ledger.program', type: 'text', summary: 'address of the settlement program' },
  { name: 'ledger-config', key: 'ledger.config', type: 'text', summary: "address of the settlement program's config" },
  {
    name: 'max-escrow',
    key: 'core.money.maxEscrow',
    type: 'text',
    summary: 'USDC one deal or transfer may take (default 25)',
  },
  { name: 'max-stake', key: 'core.money.maxStake', type: 'text', summary: 'USDC that may be at stake (default 100)' },
  {
    name: 'max-per-day',
    key: 'core.money.maxPerDay',
    type: 'text',
    summary: 'USDC that may leave the wallet in 24 hours (default 100)',
  },
  {
    name: 'max-per-partner-per-day',
    key: 'core.money.maxPerPartnerPerDay',
    type: 'text',
    summary: 'the same for deals with one partner (default 50)',
  },
  {
    name: 'max-x402-per-day',
    key: 'core.money.maxX402PerDay',
    type: 'text',
    summary: 'USDC that payments by x402 may take in 24 hours (default 25)',
  },
  { name: 'log-level', key: 'log.level', type: 'text', summary: 'debug, info, warn, error or silent' },
  { name: 'log-format', key: 'log.format', type: 'text', summary: 'json, or pretty for people' },
  { name: 'log-file', key: 'log.file', type: 'text', path: true, summary: 'the log goes here, for mesh logs' },
];

export function variableOf({ name }: Pick<Flag, 'name'>): string {
  return `NODE_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** The names that lead to what a flag sets; a plugin's key may hold dots. */
export function settingOf({ key, plugin }: Flag): readonly string[] {
  return plugin === undefined ? key.split('.') : ['plugins', plugin, key.slice(`plugins.${plugin}.`.length)];
}

/** Every flag that can be given: those of core and of plugins. */
export function allFlags(ofPlugins: readonly Flag[] = []): readonly Flag[] {
  const flags = new Map<string, Flag>();
  for (const flag of [...FLAGS, ...ofPlugins]) {
    if (!flags.has(flag.name)) flags.set(flag.name, flag);
  }
  return [...flags.values()];
}
