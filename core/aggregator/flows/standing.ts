import {
  FLOW_WINDOWS,
  type Flow,
  type FlowSum,
  type FlowWindow,
  flowIn,
  isFlow,
  minus,
  NO_FLOW,
  plus,
} from './sums.ts';

/** All flows of one direction, and of how many counterparties. */
export interface FlowSide extends FlowSum {
  readonly counterparties: number;
}

/** The sums that an agent gave and got, in each window. */
export type FlowStanding = Readonly<Record<FlowWindow, { readonly given: FlowSide; readonly got: FlowSide }>>;

const NO_SIDE: FlowSide = { ...NO_FLOW, counterparties: 0 };
const NONE = { given: NO_SIDE, got: NO_SIDE };
export const NO_STANDING: FlowStanding = { '24h': NONE, '7d': NONE, '30d': NONE, all: NONE };

/** The standing when one of the agent's flows has changed; `side` is the agent's in it. */
export function withFlow(standing: FlowStanding, side: 'given' | 'got', before: Flow, after: Flow): FlowStanding {
  const entries = FLOW_WINDOWS.map((window) => {
    const [was, is] = [flowIn(before, window), flowIn(after, window)];
    const known = standing[window][side];
    const counterparties = known.counterparties + Number(isFlow(is)) - Number(isFlow(was));
    return [window, { ...standing[window], [side]: { ...plus(minus(known, was), is), counterparties } }];
  });
  return Object.fromEntries(entries) as FlowStanding;
}
