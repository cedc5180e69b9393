import type { Plugin, Profile } from '../core/plugin.ts';

/** The plugins of this package by the word plugins.json uses; each is imported when it is asked for. */
export const plugins: Readonly<Record<string, () => Promise<Plugin>>> = {
  a2a: async () => (await import('./a2a/index.ts')).a2aPlugin,
  billing: async () => (await import('./billing/index.ts')).billingPlugin,
  campaigns: async () => (await import('./campaigns/index.ts')).campaignsPlugin,
  explorer: async () => (await import('./explorer/index.ts')).explorer,
  hosting: async () => (await import('./hosting/index.ts')).default,
  launchpad: async () => (await import('./launchpad/index.ts')).launchpadPlugin,
  mcp: async () => (await import('./mcp/index.ts')).mcpPlugin,
  notary: async () => (await import('./notary/index.ts')).notary,
  ownership: async () => (await import('./ownership/index.ts')).ownership,
  probe: async () => (await import('./probe/index.ts')).probePlugin,
  push: async () => (await import('./push/index.ts')).default,
  registry8004: async () => (await import('./registry8004/index.ts')).registry8004Plugin,
  skills: async () => (await import('./skills/index.ts')).skillsPlugin,
  // In one folder with the launchpad, whose API it speaks.
  sponsor: async () => (await import('./launchpad/sponsor/index.ts')).sponsorPlugin,
  trade: async () => (await import('./trade/index.ts')).tradePlugin,
  webhooks: async () => (await import('./webhooks/index.ts')).webhooks,
};

/** Those that a profile has without a line in plugins.json; `"ownership": false` there switches one off. */
export const standard: Readonly<Record<Profile, readonly string[]>> = {
  node: ['explorer', 'hosting', 'launchpad', 'notary', 'ownership', 'push', 'skills'],
  aggregator: ['explorer', 'hosting', 'ownership', 'push', 'registry8004', 'sponsor'],
};
