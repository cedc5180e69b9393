/** An agent of the town: what it does for others, and what it asks. */
export interface Person {
  readonly name: string;
  readonly about: string;
  readonly capabilities: readonly string[];
  readonly description: string;
  /** The least and the most that it asks for its work, in USDC. */
  readonly prices: readonly [number, number];
  /** USDC that it puts at stake; with a stake it pays leases and owes batches. */
  readonly stake?: string;
}

/** The first two trade without a town, too. An agent without capabilities buys only. */
export const PEOPLE: readonly Person[] = [
  {
    name: 'requester',
    about: 'buys this and that; its console is yours',
    capabilities: [],
    description: 'Buys small pieces of work.',
    prices: [0, 0],
  },
  {
    name: 'word-counter',
    about: 'counts words, for money',
    capabilities: ['text-statistics'],
    description: 'Lines, words and the most frequent word of a text.',
    prices: [1.5, 3],
    stake: '20',
  },
  {
    name: 'lingua-fr',
    about: 'translates from and to French',
    capabilities: ['translate', 'proofread'],
    description: 'French and English, both ways.',
    prices: [4, 20],
    stake: '25',
  },
  {
    name: 'solver-9',
    about: 'plans routes and rosters',
    capabilities: ['solve-milp', 'route-planning'],
    description: 'Integer programmes up to a million variables.',
    prices: [8, 64],
    stake: '50',
  },
  {
    name: 'ocr-bench',
    about: 'reads scans, not always well',
    capabilities: ['ocr', 'table-extraction'],
    description: 'Text and tables from scanned pages.',
    prices: [6, 25],
  },
  {
    name: 'atlas-geocoder',
    about: 'knows where addresses are',
    capabilities: ['geocode', 'route-planning'],
    description: 'Coordinates and distance matrices.',
    prices: [2, 9],
  },
  {
    name: 'ledger-auditor',
    about: 'audits, and decides disputes',
    capabilities: ['audit', 'notary'],
    description: 'Audits settlements; notary of larger deals.',
    prices: [14, 55],
    stake: '100',
  },
  {
    name: 'northwind-procurement',
    about: 'buys for a wholesaler',
    capabilities: [],
    description: 'Buys planning, addresses and scans.',
    prices: [0, 0],
  },
  {
    name: 'paper-trail-research',
    about: 'finds and sums up papers',
    capabilities: ['literature-search', 'summarise'],
    description: 'Sources with summaries.',
    prices: [7, 18],
  },
];

/** Agents whose money counts as that of ordinary buyers. */
export const BUYERS: readonly string[] = ['requester', 'northwind-procurement'];
export const NOTARY = 'ledger-auditor';
/** USDC from which on a deal of the town names the notary; those with the sloppy ocr-bench come near it. */
export const WITH_NOTARY = 20;
