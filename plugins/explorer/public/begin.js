// Runs before all else of a page: the chosen theme, so that none flashes, and the reads of the page's first facts, at once with its scripts.
(() => {
  try {
    const theme = localStorage.getItem('mesh-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing goes by the system's theme.
  }
  document.documentElement.dataset.scripted = '';

  const MESH = 'network';
  const OWN = 'agent';
  const API = 'openapi.json';
  /**
   * By face and address, reads that the page asks for by the very same address. `*` is the rest of the address, `{name}` a member of
   * its query; another read that has a query, and the whole API, are for a page without one. One behind `=` has its answer in the document.
   */
  const READS = {
    aggregator: {
      '': ['=stats/network', 'activity?limit=100', 'ledger/events?limit=100'],
      agents: ['=agents?limit=50&offset=0', 'capabilities?limit=12'],
      'agents/*': ['=reputation/*', 'agents/*/profile'],
      'conversations/*': ['=conversations/*?limit=200', MESH],
      'escrows/*': ['=conversations/*?limit=200', MESH],
      'owners/*': ['agents/by-owner/*?limit=100'],
      analytics: ['=stats/network', 'stats/timeseries?window=24h&bucket=hour', 'system/sri'],
      bounties: ['bounties?limit=50&offset=0'],
      campaigns: ['campaigns?limit=50'],
      flows: ['graph/flow?window=30d&kind=settled&limit=200', 'graph/clusters?window=30d&limit=20'],
      hosts: ['hosting/nodes?limit=100', 'registry?limit=50'],
      ledger: ['=ledger/events?limit=100', 'ledger'],
      receipts: ['epochs/{agent}/{epoch}/envelopes?limit=1000', MESH],
      search: ['search?q={q}&limit=20'],
    },
    node: {
      '': [OWN, 'deals?limit=100', 'ready', 'portfolio/balances', 'portfolio/caps'],
      deals: [OWN, 'deals?limit=100'],
      'deals/new': [OWN, 'peers?limit=200'],
      'deals/*': [OWN, 'deals/*', 'inbox?conversation_id=*&limit=200'],
      'envelopes/*': [OWN, 'envelopes/*'],
      'agents/*': [OWN, 'reputation/*', 'deals?limit=200'],
      inbox: [OWN, 'inbox?since=0&limit=200'],
      wallet: [OWN, 'portfolio/balances', 'portfolio/caps', 'portfolio/history?limit=50'],
      stake: [OWN, 'stake', 'lease', 'accusations', 'notarize/cases'],
      settings: [OWN, 'settings'],
      compose: [OWN],
      hosted: [OWN, 'hosted/agents?limit=50'],
      inspect: [OWN],
      peers: [OWN, 'peers?limit=50', 'aggregators'],
      plugins: [OWN, 'plugins'],
    },
    docs: {
      docs: [API, 'guide-sections?q={q}'],
      'docs/api-*': [`${API}?tag=*`],
      'docs/decision-*': ['guides/decisions/*.md'],
      'docs/*': ['guides/*.md'],
    },
  };

  const ID = /^\w{32,64}$/;
  const NAMES = { aggregator: ID, node: ID, docs: /^[\w-]+$/ };

  const { dataset, src } = document.currentScript;
  const root = new URL('../', src);
  const early = new Map();
  globalThis.meshEarly = early;
  const sent = new Set();
  globalThis.meshSent = sent;
  const pages = READS[dataset.face] ?? {};
  const path = location.pathname.slice(root.pathname.length);
  const fits = (key) =>
    key === path ||
    (key.endsWith('*') && path.startsWith(key.slice(0, -1)) && !path.slice(key.length - 1).includes('/'));
  const key = Object.keys(pages).find(fits);
  const id = key?.endsWith('*') ? path.slice(key.length - 1) : '';
  const query = new URLSearchParams(location.search);
  if (query.get('q')?.trim()) document.documentElement.dataset.asked = '';
  const secret = dataset.face === 'node' ? kept() : undefined;
  const isGuest = dataset.face === 'node' && secret === undefined;
  if (secret !== undefined) document.documentElement.dataset.entered = '';
  const reads = isGuest ? [OWN] : (pages[key] ?? []);
  const headers = { accept: 'application/json', ...(secret !== undefined && { authorization: `Bearer ${secret}` }) };
  for (const read of reads) {
    const names = [...read.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const isMeant =
      names.length > 0
        ? names.every((name) => query.get(name)?.trim())
        : (!read.includes('?') && read !== API) || location.search === '' || isGuest;
    // A word that is no id is told of by the page, which asks for nothing then.
    if (!isMeant || (read.includes('*') && !NAMES[dataset.face].test(id))) continue;
    const { href } = new URL(
      read
        .replace(/^=/, '')
        .replaceAll('*', id)
        .replace(/\{(\w+)\}/g, (_, name) => encoded(query.get(name).trim())),
      root,
    );
    if (read.startsWith('=')) {
      sent.add(href);
      continue;
    }
    const answer = fetch(href, { headers, cache: 'no-cache', signal: AbortSignal.timeout(15_000) });
    // Whoever asks for it meets the fault.
    answer.catch(() => {});
    early.set(href, answer);
  }

  /** As the pages write it. */
  function encoded(text) {
    return new URLSearchParams({ a: text }).toString().slice(2);
  }

  function kept() {
    try {
      return sessionStorage.getItem(`mesh-secret ${root.pathname}`) ?? undefined;
    } catch {
      return undefined;
    }
  }
})();
