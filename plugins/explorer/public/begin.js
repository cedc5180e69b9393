// Runs before all else of a page: the chosen theme, so that none flashes, and what the page needs first, all at once instead of one after the other.
(() => {
  try {
    const theme = localStorage.getItem('mesh-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing goes by the system's theme.
  }

  const FEED = 'connection feed live sentences';
  const CHECKS = 'keccak receipts verify';
  const CONTENT = 'console/content keccak verify';
  const STEPS = 'console/deal-parts console/deal-words console/panel console/steps';
  const OVERVIEW = 'console/views/overview figures console/about console/deal-words';
  /** By face and address: the modules that not every page has, and the first reads of a page without a query. */
  const PAGES = {
    aggregator: {
      '': [`views/home chart figures join ${FEED}`, 'activity?limit=100'],
      agents: ['views/agents pager', 'agents?limit=50&offset=0'],
      'agents/*': [
        `views/agent agent/deals agent/facts agent/hire agent/ratings agent/recount agent/score ${FEED}`,
        'agents/*/profile reputation/*',
      ],
      'conversations/*': [`views/conversation escrow sentences ${CHECKS}`, 'conversations/*?limit=200'],
      'escrows/*': [`views/conversation escrow sentences ${CHECKS}`, 'conversations/*?limit=200'],
      'owners/*': ['views/owner'],
      ledger: ['views/ledger live sentences', 'ledger/events?limit=100'],
      receipts: [`views/receipts ${CHECKS}`],
      analytics: ['views/analytics chart figures'],
      bounties: ['views/bounties pager'],
      campaigns: ['views/campaigns'],
      flows: ['views/flows'],
      hosts: ['views/hosts'],
      search: ['views/search'],
    },
    node: {
      '': [OVERVIEW],
      deals: [`console/views/deals ${STEPS}`],
      'deals/new': ['console/views/offer console/panel'],
      'deals/*': [`console/views/deal ${STEPS} ${CONTENT}`],
      'envelopes/*': [`console/views/envelope ${CONTENT}`],
      'agents/*': ['console/views/agent console/deal-words'],
      inbox: [`console/views/inbox ${CONTENT}`],
      wallet: [`console/views/wallet console/panel console/qr ${OVERVIEW}`],
      stake: [`console/views/stake console/panel ${OVERVIEW}`],
      settings: ['console/views/settings console/panel console/setting-field'],
      compose: ['console/views/compose console/panel'],
      hosted: ['console/views/hosted'],
      inspect: ['console/views/inspect'],
      peers: ['console/views/peers pager'],
      plugins: ['console/views/plugins'],
    },
  };
  const GUEST = ['console/guest console/secret agent/hire console/about', 'agent'];

  const { dataset, src } = document.currentScript;
  const folder = new URL('./', src);
  const root = new URL('../', folder);
  const early = new Map();
  globalThis.meshEarly = early;
  const pages = PAGES[dataset.face];
  if (!pages) return;
  const path = location.pathname.slice(root.pathname.length);
  const [first, id] = path.split('/');
  const isGuest = dataset.face === 'node' && !hasSecret();
  const [modules = '', reads = ''] = (isGuest && GUEST) || pages[path] || pages[`${first}/*`] || [];
  for (const read of words(location.search ? '' : reads.replaceAll('*', id))) {
    const { href } = new URL(read, root);
    const signal = AbortSignal.timeout(15_000);
    const answer = fetch(href, { headers: { accept: 'application/json' }, cache: 'no-cache', signal });
    // Whoever asks for it meets the fault.
    answer.catch(() => {});
    early.set(href, answer);
  }
  for (const name of words(modules)) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = new URL(`${name}.js`, folder).href;
    document.head.append(link);
  }

  function words(text) {
    return text.split(' ').filter(Boolean);
  }

  function hasSecret() {
    try {
      return sessionStorage.getItem(`mesh-secret ${root.pathname}`) !== null;
    } catch {
      return false;
    }
  }
})();
