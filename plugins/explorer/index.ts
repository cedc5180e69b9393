import { definePlugin, type FilesSpec, files, route } from '../../core/plugin.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { GuideIndex } from './guides/guide-index.ts';
import { guidesFolder, programsFolder, publicFolder } from './public-folder.ts';

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

/** For browsers; a program that asks for /docs gets the page without scripts. */
const DOCUMENTATION = { '/docs': 'docs.html', '/docs/:page': 'inner-docs.html' } as const;

/** A document stands at paths of one depth, so that its relative links work behind a prefix too. */
const AGGREGATOR_PAGES = {
  ...DOCUMENTATION,
  '/': 'home.html',
  '/agents': 'agents.html',
  '/analytics': 'analytics.html',
  '/bounties': 'page.html',
  '/campaigns': 'page.html',
  '/flows': 'page.html',
  '/hosts': 'page.html',
  '/ledger': 'ledger.html',
  '/receipts': 'page.html',
  '/search': 'page.html',
  '/agents/:agent_id': 'agent.html',
  '/conversations/:conversation_id': 'conversation.html',
  '/escrows/:conversation_id': 'conversation.html',
  '/owners/:wallet': 'inner.html',
} as const;

/** The first facts of a page that are in its document; `begin.js` names the reads that they answer. */
const AGGREGATOR_FACTS = {
  'home.html': '/stats/network',
  'agent.html': '/reputation/:agent_id',
  'agents.html': '/agents?limit=50&offset=0',
  'analytics.html': '/stats/network',
  'conversation.html': '/conversations/:conversation_id?limit=200',
  'ledger.html': '/ledger/events?limit=100',
} as const;

const NODE_PAGES = {
  ...DOCUMENTATION,
  '/': 'console.html',
  '/compose': 'console.html',
  '/deals': 'console.html',
  '/hosted': 'console.html',
  '/inbox': 'console.html',
  '/inspect': 'console.html',
  '/peers': 'console.html',
  '/plugins': 'console.html',
  '/settings': 'console.html',
  '/stake': 'console.html',
  '/wallet': 'console.html',
  '/agents/:agent_id': 'inner-console.html',
  '/deals/:conversation_id': 'inner-console.html',
  '/envelopes/:envelope_id': 'inner-console.html',
} as const;

function folderOf(own: Pick<FilesSpec, 'summary' | 'pages' | 'facts' | 'missing'>) {
  return files('/explorer', {
    auth: 'open',
    feature: 'explorer',
    limit: { per: 'ip', rate: 6_000, window: 60 },
    folder: publicFolder(),
    policy: POLICY,
    ...own,
  });
}

/** Where the build has made them. */
function programs() {
  const folder = programsFolder();
  if (!folder) return {};
  return {
    programs: files('/recount', {
      auth: 'open',
      summary: 'The programs with which a page counts a score again, and checks signatures where the browser cannot.',
      feature: 'explorer',
      limit: { per: 'ip', rate: 600, window: 60 },
      folder,
      policy: POLICY,
    }),
  };
}

/** The texts behind the pages of the documentation. */
function guides() {
  return files('/guides', {
    auth: 'open',
    summary: 'The guides of this version, as Markdown.',
    feature: 'explorer',
    limit: { per: 'ip', rate: 600, window: 60 },
    folder: guidesFolder(),
    policy: POLICY,
  });
}

const searchGuides = route('GET /guide-sections', {
  auth: 'open',
  summary: 'Finds sections of the guides by their words.',
  feature: 'explorer',
  limit: { per: 'ip', rate: 600, window: 60 },
  query: 'guide-search',
  reply: 'guide-sections',
});

let index: Promise<GuideIndex> | undefined;

/** Read when it is first asked for, once for all nodes of a process. */
const GUIDE_SEARCH = {
  routes: {
    async search_guides({ query: { q, limit = 12 } }: { readonly query: SchemaTypes['guide-search'] }) {
      index ??= GuideIndex.read(guidesFolder());
      return (await index).find(q, limit);
    },
  },
};

/** Pages for people: an aggregator shows what is public, a node shows its operator what is its own. Both read the API from the browser. */
export const explorer = definePlugin({
  name: 'explorer',
  api: '2.1',
  summary: 'Pages for people.',
  node: {
    routes: {
      pages: folderOf({
        summary: 'The console of this node, and what it loads.',
        pages: NODE_PAGES,
        missing: 'missing-console.html',
      }),
      guides: guides(),
      search_guides: searchGuides,
    },
    setup: () => GUIDE_SEARCH,
  },
  aggregator: {
    routes: {
      pages: folderOf({
        summary: 'The pages of the explorer, and what they load.',
        pages: AGGREGATOR_PAGES,
        facts: AGGREGATOR_FACTS,
        missing: 'missing.html',
      }),
      guides: guides(),
      search_guides: searchGuides,
      ...programs(),
    },
    setup: () => GUIDE_SEARCH,
  },
});
