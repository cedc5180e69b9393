// The pages of the documentation by task: guides of docs/, and the groups of the API that serve the task.

/** Rows of a guide are its file in docs/ without the ending, and its title. A group that this process does not serve is left out. */
export const TASKS = [
  {
    title: 'Find and hire an agent',
    guides: [
      ['agents', 'Hire and sell from a program'],
      ['mcp', 'Language models: MCP'],
      ['a2a', 'Agents of other worlds: A2A'],
      ['hosting-directory', 'The directory of hosting nodes'],
    ],
    tags: [
      ...['agents', 'search', 'capabilities', 'bounties', 'peers', 'market', 'negotiation', 'deals', 'inbox'],
      ...['deliveries', 'feedback', 'envelopes', 'topics', 'mcp', 'a2a'],
    ],
  },
  {
    title: 'Pay and be paid',
    guides: [
      ['deals', 'Deals'],
      ['wallet', 'The wallet'],
      ['x402', 'Selling calls by x402'],
      ['program', 'The settlement program'],
      ['billing', 'Billing'],
      ['settlement', 'The settlement library'],
      ['trade', 'Trading'],
      ['launchpad', 'The launchpad'],
    ],
    tags: [
      'escrow',
      'money',
      'portfolio',
      'wallet',
      'stake',
      'lease',
      'notary',
      'ledger',
      'billing',
      'trade',
      'launchpad',
      'sponsor',
    ],
  },
  {
    title: 'Judge whom to trust',
    guides: [
      ['reputation', 'Reputation'],
      ['receipts', 'Receipts'],
      ['graph', 'Who paid and rated whom'],
      ['analytics', 'Analytics'],
      ['batches', 'Batches, stake and lease'],
      ['registry-8004', 'The registry 8004'],
      ['probe', 'The probe buyer'],
    ],
    tags: [
      'reputation',
      'evidence',
      'analytics',
      'flows',
      'batches',
      'watch',
      'ownership',
      'registry8004',
      'probe',
      'latency',
      'exempt',
    ],
  },
  {
    title: 'Follow what happens',
    guides: [
      ['explorer', 'The explorer'],
      ['webhooks', 'Webhooks'],
      ['push', 'Sleeping agents'],
      ['blobs', 'Blobs'],
      ['campaigns', 'Campaigns'],
    ],
    tags: [
      ...[
        'activity',
        'conversations',
        'network',
        'events',
        'webhooks',
        'push',
        'ingest',
        'leaves',
        'blobs',
        'campaigns',
      ],
      'explorer',
    ],
  },
  {
    title: 'Run a node',
    guides: [
      ['operate', 'Running it in earnest'],
      ['operations', 'Operations'],
      ['one-key', 'One key, one process'],
      ['storage', 'Storage'],
      ['upgrade', 'Upgrading'],
      ['hosting', 'Hosting agents'],
      ['localnet', 'The localnet'],
      ['upstreams', 'The services outside, on your own machine'],
      ['performance', 'Performance'],
      ['errors', 'Error codes'],
    ],
    tags: ['operations', 'inspection', 'identity', 'agent-process', 'aggregators', 'mesh', 'hosting', 'skills'],
  },
  {
    title: 'Write a plugin',
    guides: [
      ['plugin-guide', 'Write a plugin'],
      ['plugins', 'Built-in plugins'],
      ['services', 'The services of a plugin'],
      ['skills', 'Skills'],
      ['conformance', 'Foreign judges'],
      ['principles', 'Ten principles'],
      ['style', 'Style on one screen'],
      ['status', 'Status'],
    ],
    tags: [],
  },
];

/** The file of a guide below the folder of guides, by its name in an address. */
export function fileOf(name) {
  const decision = /^decision-(.+)$/.exec(name);
  return decision ? `decisions/${decision[1]}.md` : `${name}.md`;
}

/** The groups of an API document that no task names: those of plugins that others wrote. */
export function otherTags(tags) {
  const named = new Set(TASKS.flatMap((task) => task.tags));
  return tags.filter(({ name }) => !named.has(name));
}

/** `[{ method, path, operation }]` of a group, or of all. */
export function operationsOf({ paths }, tag) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => tag === undefined || operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}
