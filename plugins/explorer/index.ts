import { definePlugin, files } from '../../core/plugin.ts';
import { publicFolder } from './public-folder.ts';

/** Nothing but what this server serves itself, no inline script or style, and nobody frames a page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** One document stands at all paths of a depth, so that its relative links work behind a prefix too. */
const PAGES = {
  '/': 'page.html',
  '/agents': 'page.html',
  '/analytics': 'page.html',
  '/bounties': 'page.html',
  '/campaigns': 'page.html',
  '/flows': 'page.html',
  '/hosts': 'page.html',
  '/ledger': 'page.html',
  '/receipts': 'page.html',
  '/search': 'page.html',
  '/agents/:agent_id': 'inner.html',
  '/conversations/:conversation_id': 'inner.html',
  '/escrows/:conversation_id': 'inner.html',
  '/owners/:wallet': 'inner.html',
} as const;

/** Pages for people on an aggregator; all of them read its public endpoints from the browser. */
export const explorer = definePlugin({
  name: 'explorer',
  api: '2.1',
  summary: 'Pages for people.',
  aggregator: {
    routes: {
      pages: files('/explorer', {
        auth: 'open',
        summary: 'The pages of the explorer, and what they load.',
        feature: 'explorer',
        limit: { per: 'ip', rate: 6_000, window: 60 },
        folder: publicFolder(),
        policy: POLICY,
        pages: PAGES,
      }),
    },
    setup: () => ({}),
  },
});
