import type { Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import { flowAgents, flowLinkRef, flowRef } from '../store/flows.ts';
import { type FlowStanding, NO_STANDING, withFlow } from './standing.ts';
import {
  FLOW_WINDOWS,
  type Flow,
  type FlowFact,
  type FlowWindow,
  flowIn,
  mutualFlow,
  newFlow,
  withFacts,
} from './sums.ts';

/** A fact about an ordered pair; without one, the pair is only brought up to date. */
export interface FlowChange {
  readonly from: string;
  readonly to: string;
  readonly fact?: FlowFact;
}

/** The documents that these changes read and write. */
export function refsOf(changes: readonly FlowChange[]): Ref<any>[] {
  const refs = changes.flatMap(({ from, to }) => [
    ...[flowRef(from, to), flowRef(to, from), flowLinkRef(from, to)],
    ...[flowAgents.ref(from), flowAgents.ref(to)],
  ]);
  return [...new Map(refs.map((ref) => [`${ref.of.name} ${ref.id}`, ref as Ref<any>])).values()];
}

/**
 * Applies changes with all that is kept of them, and writes each document once; gives how many links have changed. Runs in a
 * transaction that read `refsOf`.
 */
export function applyFlows(tx: Tx, changes: readonly FlowChange[]): number {
  const moved = byPair(changes).map(({ from, to, facts }) => {
    const ref = flowRef(from, to);
    const before: Flow = tx.get(ref) ?? newFlow(from, to);
    const after = withFacts(before, facts, tx.now);
    tx.put(ref, { ...after, hours: [...after.hours], days: [...after.days] });
    return { before, after };
  });
  const standings = new Map<string, FlowStanding>();
  const move = (agentId: string, side: 'given' | 'got', before: Flow, after: Flow) => {
    const known = standings.get(agentId) ?? tx.get(flowAgents.ref(agentId))?.windows ?? NO_STANDING;
    standings.set(agentId, withFlow(known, side, before, after));
  };
  for (const { before, after } of moved) {
    move(after.from, 'given', before, after);
    move(after.to, 'got', before, after);
  }
  for (const [agent_id, windows] of standings) tx.put(flowAgents.ref(agent_id), { agent_id, windows });
  return moved.filter(({ after }) => relink(tx, after)).length;
}

/** The facts of each ordered pair together; nobody has a flow to itself. */
function byPair(changes: readonly FlowChange[]): { from: string; to: string; facts: FlowFact[] }[] {
  const pairs = new Map<string, { from: string; to: string; facts: FlowFact[] }>();
  for (const { from, to, fact } of changes) {
    if (from === to) continue;
    const { id } = flowRef(from, to);
    const pair = pairs.get(id) ?? { from, to, facts: [] };
    pairs.set(id, pair);
    if (fact) pair.facts.push(fact);
  }
  return [...pairs.values()];
}

function relink(tx: Tx, there: Flow): boolean {
  const { from, to } = there;
  const back = tx.get(flowRef(to, from));
  if (!back) return false;
  const mutual = FLOW_WINDOWS.flatMap((window) => {
    const found = mutualFlow(flowIn(there, window), flowIn(back, window));
    return found ? [{ window, ...found }] : [];
  });
  const windows: Partial<Record<FlowWindow, number>> = Object.fromEntries(
    mutual.map(({ window, flow }) => [window, flow]),
  );
  const settled = mutual.filter(({ isSettled }) => isSettled).map(({ window }) => window);
  const ref = flowLinkRef(from, to);
  const known = tx.get(ref);
  const isSame = (window: FlowWindow) =>
    known?.windows[window] === windows[window] && known?.settled?.includes(window) === settled.includes(window);
  if (known ? FLOW_WINDOWS.every(isSame) : mutual.length === 0) return false;
  const [one, other] = from < to ? [from, to] : [to, from];
  if (mutual.length === 0) tx.del(ref);
  else tx.put(ref, { one, other, windows, settled });
  return true;
}
