import type { Look } from '../support/browser.ts';

export interface Pictured {
  /** Its file in docs/pictures, without the ending. */
  readonly name: string;
  readonly face: 'aggregator' | 'node';
  /** As the explorer declares it; `:agent_id` and its like stand for what the town has. */
  readonly path: `/${string}`;
  readonly look: Look;
}

const DESK = { width: 1280, height: 800, calm: true };
const PHONE = { width: 360, height: 740, calm: true };

export const PICTURES: readonly Pictured[] = [
  { name: 'home', face: 'aggregator', path: '/', look: DESK },
  { name: 'home-phone', face: 'aggregator', path: '/', look: { ...PHONE, dark: true } },
  { name: 'agent', face: 'aggregator', path: '/agents/:agent_id', look: { ...DESK, dark: true } },
  { name: 'conversation', face: 'aggregator', path: '/conversations/:conversation_id', look: DESK },
  { name: 'flows', face: 'aggregator', path: '/flows', look: { ...DESK, dark: true } },
  { name: 'docs', face: 'aggregator', path: '/docs', look: DESK },
  { name: 'docs-phone', face: 'aggregator', path: '/docs', look: PHONE },
  { name: 'deals', face: 'node', path: '/deals', look: DESK },
];
