import { acceptanceOf, type DealRecord, isOfPair, notariesOf } from '../../../protocol/deals/record.ts';
import { counted } from '../../../protocol/deals/record-ties.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import type { DealRow, StoredDeal } from '../../store/deals.ts';
import { activity, dealCount, disputes, keptId } from '../../store/logs.ts';
import { changeHeir, sidesOf } from '../agent-rows.ts';
import { closeBounty } from './bounty.ts';
import { roundTripOf, withRoundTrip } from './round-trip.ts';

const MAX_ROWS = 32;
/** Rows of agents that are not a side of the deal: verdicts that may turn out to be a notary's. */
const MAX_STRANGERS = 16;

/**
 * The rows with one more; the same kind of event by the same agent is one row, however often it is signed. A verdict is one
 * to each side.
 */
export function withRow(deal: StoredDeal, row: Omit<DealRow, 'shown'>): StoredDeal {
  const { record, rows } = deal;
  if (rows.some((known) => isSame(known, row))) return deal;
  const strangers = rows.filter(({ by }) => !isOfPair(record, by)).length;
  if (rows.length >= MAX_ROWS || (!isOfPair(record, row.by) && strangers >= MAX_STRANGERS)) return deal;
  return { ...deal, rows: [...rows, { ...row, shown: false }] };
}

function isSame(known: DealRow, { event_type, by, to }: Omit<DealRow, 'shown'>): boolean {
  return known.event_type === event_type && known.by === by && (event_type !== 'VERDICT' || known.to === to);
}

/**
 * Shows the rows that have become true. A message is shown to concern another key only once that key has signed
 * something in the conversation.
 */
export function showRows(tx: Tx, deal: StoredDeal, epochs: Epochs): StoredDeal {
  const due = deal.rows.filter((row) => !row.shown && isTrue(deal.record, row));
  if (due.length === 0) return deal;
  for (const row of due) showRow(tx, deal.record, row, epochs);
  return { ...deal, rows: deal.rows.map((row) => (due.includes(row) ? { ...row, shown: true } : row)) };
}

function isTrue(record: DealRecord, { event_type, by }: DealRow): boolean {
  const made = acceptanceOf(record);
  switch (event_type) {
    case 'ACCEPT':
      return made?.by === by;
    case 'REJECT':
      return hasMet(record, by) || hasOffered(record, by);
    case 'DELIVER':
      return made !== undefined && counted(record, record.deliveries, 'provider').some((one) => one.by === by);
    case 'DISPUTE':
      return made !== undefined && counted(record, record.disputes, 'payer').some((one) => one.by === by);
    case 'VERDICT':
      return made !== undefined && (isOfPair(record, by) || notariesOf(record).includes(by));
  }
}

/** Whether the other side has made an offer. */
function hasMet({ offers, pair }: DealRecord, key: string): boolean {
  return offers[pair[0] === key ? 1 : 0] !== null;
}

function hasOffered({ offers, pair }: DealRecord, key: string): boolean {
  return offers[pair[0] === key ? 0 : 1] !== null;
}

function showRow(tx: Tx, record: DealRecord, row: DealRow, epochs: Epochs): void {
  const { conversation, pair } = record;
  const { event_type, envelope_id, by, to, slot } = row;
  // A key that withdraws its own offer says nothing of the other side, which may never have heard of it.
  const target = event_type === 'REJECT' && !hasMet(record, by) ? undefined : to;
  const said = { conversation_id: conversation, ...keptId(envelope_id), slot, at: tx.now };
  tx.append(activity, { event_type, ...sidesOf(tx, by, target), ...said });
  const epoch = epochs.at(tx.now);
  if (event_type === 'ACCEPT') {
    tx.add(dealCount, 1);
    for (const key of pair) {
      takePart(tx, key, epoch);
      closeBounty(tx, key, conversation);
    }
  }
  if (event_type === 'DELIVER') {
    takePart(tx, by, epoch);
    const trip = roundTripOf(record, by);
    if (trip) changeHeir(tx, by, (agent) => withRoundTrip(agent, trip));
  }
  if (event_type === 'VERDICT')
    changeHeir(tx, to, ({ standing, ...agent }) => {
      return { ...agent, standing: { ...standing, updated: tx.now }, verdicts: agent.verdicts + 1 };
    });
  if (event_type === 'DISPUTE') {
    tx.append(disputes, { sender: by, disputed_agent: to, conversation_id: conversation, slot, at: tx.now });
    changeHeir(tx, to, (agent) => ({ ...agent, disputes: agent.disputes + 1 }));
  }
}

/** Whoever takes part in a deal is not idle. */
function takePart(tx: Tx, key: string, epoch: number): void {
  changeHeir(tx, key, (agent) => {
    const { standing } = agent;
    return epoch <= standing.active ? agent : { ...agent, standing: { ...standing, active: epoch } };
  });
}
