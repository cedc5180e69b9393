import type { SchemaTypes } from '../../schemas/types.ts';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { ClientError } from '../client/client-error.ts';
import { NodeClient, type ReadyState } from '../client/node-client.ts';
import { type Paint, painter } from './colour.ts';
import { command } from './command.ts';
import { asked } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, type Target, targetOf } from './target.ts';

type Deal = SchemaTypes['deal-view'];

/** What a deal in this state waits for, when this node may do it. */
const AWAITED: Partial<Record<Deal['state'], readonly string[]>> = {
  proposed: ['accept', 'counter', 'reject'],
  countered: ['accept', 'counter', 'reject'],
  accepted: ['lock', 'deliver'],
  delivered: ['approve', 'pay', 'dispute', 'claim'],
  disputed: ['contest', 'raise'],
  contested: ['decide', 'verdict'],
};
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
    const facts = await asked(() => (ready.profile === 'node' ? nodeFacts(node, target) : aggregatorFacts(target)));
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

async function nodeFacts(node: NodeClient, { configuration }: Target): Promise<Facts> {
  const [identity, peers, wallet, deals, letters] = await Promise.all([
    node.identity(),
    node.peers(),
    balancesOf(node),
    openDeals(node),
    node.inboxPage({ limit: PAGE }).then(({ frames }) => frames.length),
  ]);
  const connected = peers.filter((peer) => peer.connected);
  const hubs = connected.filter(({ hub }) => hub).length;
  const aggregators = configuration.settings.mesh.aggregators ?? [];
  const waiting = letters === PAGE ? `${PAGE} or more` : `${letters}`;
  const inWallet =
    typeof wallet === 'string' ? wallet : wallet.map(({ amount, symbol, mint }) => `${amount} ${symbol ?? mint}`);
  return {
    found: {
      identity,
      peers: { known: peers.length, connected: connected.length, hubs },
      wallet,
      open_deals: deals,
      inbox: letters,
    },
    rows: [
      ['agent', `${identity.agent_id}${identity.name ? `, ${identity.name}` : ''}`],
      ['network', `${identity.network_id}, epoch ${identity.epoch}`],
      ['peers', `${connected.length} connected of ${peers.length} known, ${hubs} of them hubs`],
      ['aggregators', aggregators.join(', ') || 'none configured, so nobody can find this agent'],
      ['wallet', typeof inWallet === 'string' ? inWallet : inWallet.join(', ')],
      ['lease', identity.lease_status],
      ['deals', deals.length === 0 ? 'none open' : `${deals.length} open`],
      ['inbox', letters === 0 ? 'empty' : `${waiting} not acknowledged`],
    ],
    needs: deals.flatMap(needOfDeal),
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

/** What the wallet holds, or in a sentence why that cannot be told. */
async function balancesOf(node: NodeClient): Promise<SchemaTypes['portfolio-balances']['tokens'] | string> {
  try {
    return (await node.balances()).tokens;
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 503) throw error;
    return error.message.replace(/^GET \S+: /, '');
  }
}

async function openDeals(node: NodeClient): Promise<Deal[]> {
  const states = Object.keys(AWAITED) as Deal['state'][];
  const pages = await Promise.all(states.map((state) => node.deals({ state, limit: PAGE })));
  return pages.flatMap(({ deals }) => deals);
}

function needOfDeal(deal: Deal): Need[] {
  const { escrow, allowed_actions, state, conversation_id, amount_usdc } = deal;
  const isUnlocked = escrow.agreed && escrow.locked_at === undefined;
  const steps = (AWAITED[state] ?? []).filter(
    (step) => allowed_actions.includes(step) && !(step === 'deliver' && isUnlocked),
  );
  if (steps.length === 0) return [];
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
