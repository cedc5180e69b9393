import type { SchemaTypes } from '../../schemas/types.ts';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { ClientError } from '../client/client-error.ts';
import { NodeClient, type ReadyState } from '../client/node-client.ts';
import { emptyWallet } from '../ledger/empty-wallet.ts';
import { type Paint, painter } from './colour.ts';
import { command } from './command.ts';
import { isMine, nextCommands } from './deal/next-steps.ts';
import { asked } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, type Target, targetOf } from './target.ts';

type Deal = SchemaTypes['deal-view'];
type Tokens = SchemaTypes['portfolio-balances']['tokens'];

/** States in which a deal may wait for this node. */
const OPEN = ['proposed', 'countered', 'accepted', 'delivered', 'disputed', 'contested'] as const;
const PAGE = 100;

/** One line of what somebody has to do. */
interface Need {
  readonly about: string;
  readonly what: string;
  readonly remedy?: string;
}

export const status = command({
  summary: 'Says in plain words how the running node is, and what needs you.',
  about: 'It ends with code 1 when the node cannot serve, so that scripts can ask.',
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['status', 'status --url http://127.0.0.1:9091 --json'],
  async run(call, _, terminal) {
    const target = targetOf(call, terminal);
    const { url, secret } = target;
    const node = new NodeClient({ url, ...(secret !== undefined && { secret }) });
    const ready = await asked(() => node.ready());
    const facts = await asked(() => (ready.profile === 'node' ? nodeFacts(node) : aggregatorFacts(target)));
    const needs = [...needsOf(ready), ...facts.needs];
    const isServing = ready.status !== 'unavailable' && ready.phase === 'ready';
    if (call.options.json) {
      const { status: state, profile, version, phase } = ready;
      terminal.out(
        JSON.stringify({ ok: isServing, url, status: state, profile, version, phase, ...facts.found, needs }),
      );
    } else for (const line of inWords(ready, url, facts.rows, needs, painter(terminal.colours))) terminal.out(line);
    return isServing ? 0 : 1;
  },
});

interface Facts {
  readonly found: object;
  readonly rows: readonly (readonly [string, string])[];
  readonly needs: readonly Need[];
}

async function nodeFacts(node: NodeClient): Promise<Facts> {
  const [identity, peers, aggregators, wallet, deals, letters] = await Promise.all([
    node.identity(),
    node.peers(),
    node.aggregators(),
    balancesOf(node),
    openDeals(node),
    node.inboxPage({ limit: PAGE }).then(({ frames }) => frames.length),
  ]);
  const connected = peers.filter((peer) => peer.connected);
  const hubs = connected.filter(({ hub }) => hub).length;
  const waiting = letters === PAGE ? `${PAGE} or more` : `${letters}`;
  const inWallet =
    typeof wallet === 'string' ? wallet : wallet.map(({ amount, symbol, mint }) => `${amount} ${symbol ?? mint}`);
  return {
    found: {
      identity,
      peers: { known: peers.length, connected: connected.length, hubs },
      aggregators,
      wallet,
      open_deals: deals,
      inbox: letters,
    },
    rows: [
      ['agent', `${identity.agent_id}${identity.name ? `, ${identity.name}` : ''}`],
      ['network', `${identity.network_id}, epoch ${identity.epoch}`],
      ['peers', `${connected.length} connected of ${peers.length} known, ${hubs} of them hubs`],
      ...aggregatorRows(aggregators),
      ['wallet', typeof inWallet === 'string' ? inWallet : inWallet.join(', ')],
      ['lease', identity.lease_status],
      ['deals', deals.length === 0 ? 'none open' : `${deals.length} open`],
      ['inbox', letters === 0 ? 'empty' : `${waiting} not acknowledged`],
    ],
    needs: [...walletNeeds(identity.address, wallet), ...deals.flatMap(needOfDeal)],
  };
}

async function aggregatorFacts({ url }: Target): Promise<Facts> {
  const found = await new AggregatorClient({ url }).stats();
  const rows = Object.entries(found).map(([name, value]): [string, string] => [
    name.replaceAll('_', ' '),
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  return { found: { network: found }, rows, needs: [] };
}

/** The wallet's balances, or the node's reason for a 503, as a sentence. */
async function balancesOf(node: NodeClient): Promise<Tokens | string> {
  try {
    return (await node.balances()).tokens;
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 503) throw error;
    return error.reason;
  }
}

function aggregatorRows(aggregators: SchemaTypes['aggregators']): [string, string][] {
  if (aggregators.length === 0) return [['aggregators', 'none in use, so nobody can find this agent']];
  const words = { ok: 'reached', away: 'not reached', other_network: 'of another network' };
  return aggregators.map(({ url, state }) => ['aggregator', `${url}, ${words[state]}`]);
}

function walletNeeds(address: string, wallet: Tokens | string): Need[] {
  if (typeof wallet === 'string') return [];
  const held = (symbol: string) => wallet.find((token) => token.symbol === symbol)?.amount ?? 0;
  const empty = emptyWallet(address, held('SOL'), String(held('USDC')));
  return empty ? [{ about: 'wallet', ...empty }] : [];
}

async function openDeals(node: NodeClient): Promise<Deal[]> {
  const pages = await Promise.all(OPEN.map((state) => node.deals({ state, limit: PAGE })));
  return pages.flatMap(({ deals }) => deals);
}

/** A deal that waits for the other side needs nobody here, although its offer can be withdrawn or its money given back. */
function needOfDeal(deal: Deal): Need[] {
  const { state, conversation_id, amount_usdc } = deal;
  const steps = nextCommands(deal).map(([line]) => line.split(' ')[0]!);
  if (isMine(deal) || steps.every((step) => step === 'refund')) return [];
  const what = `${state}, ${amount_usdc} USDC with ${deal.counterparty}: ${steps.join(' or ')}`;
  return [{ about: `deal ${conversation_id}`, what, remedy: `mesh deals ${conversation_id} shows it` }];
}

/** Reasons and remedies of everything that is not as it should be. */
function needsOf({ services, plugins }: ReadyState): Need[] {
  const parts: [string, { state: string; detail?: string; remedy?: string }][] = Object.entries({
    ...services,
    ...plugins,
  });
  return parts.flatMap(([about, { state, detail = state, remedy }]) =>
    state === 'ok' ? [] : [{ about, what: detail, ...(remedy !== undefined && { remedy }) }],
  );
}

function inWords(
  { status: state, phase, profile, version }: ReadyState,
  url: string,
  rows: Facts['rows'],
  needs: readonly Need[],
  paint: Paint,
): string[] {
  const how = phase === 'ready' ? state : phase;
  const colour = how === 'ok' ? 'green' : how === 'degraded' ? 'yellow' : 'red';
  return [
    `${paint(colour, how)}: ${profile} ${version} at ${url}`,
    table(rows.map(([name, value]) => [`  ${name}`, value])),
    '',
    ...(needs.length === 0 ? ['Nothing needs you.'] : [paint('bold', 'Needs you:')]),
    ...needs.map(({ about, what, remedy }) => `  ${about}: ${what}${remedy === undefined ? '' : ` (${remedy})`}`),
  ];
}
