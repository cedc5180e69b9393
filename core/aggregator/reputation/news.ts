import type { AppendLog } from '../../storage/declarations.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { activity, type StoredActivity } from '../store/logs.ts';
import { type StoredScoreChange, scoreChanges } from '../store/scores.ts';

/** Where the reading of both logs stands. */
export interface Cursor {
  readonly activity: number;
  readonly changes: number;
}

/** The agents, by key, and the pairs, as `from>to`, with facts that have changed. */
export interface Changed {
  readonly agents: Set<string>;
  readonly pairs: Set<string>;
  readonly upTo: Cursor;
}

const PAGE = 200;

/** Where both logs end. */
export async function endsOf(space: Space): Promise<Cursor> {
  const [[last], [change]] = await Promise.all([
    space.page(activity, { limit: 1 }),
    space.page(scoreChanges, { limit: 1 }),
  ]);
  return { activity: last?.id ?? 0, changes: change?.id ?? 0 };
}

/** The changes since a cursor. The activity log holds those that agents signed, `scoreChanges` those of the ledger. */
export async function changedSince(space: Space, { activity: signed, changes }: Cursor): Promise<Changed> {
  const agents = new Set<string>();
  const pairs = new Set<string>();
  const told = (from: string, to: string | undefined) => {
    agents.add(from);
    if (to === undefined) return;
    agents.add(to);
    pairs.add(`${from}>${to}`);
  };
  const upTo = {
    activity: await read<StoredActivity>(space, activity, signed, ({ event_type, agent_id, target_agent_id }) => {
      if (event_type === 'FEEDBACK') told(agent_id, target_agent_id);
      if (event_type !== 'ACCEPT' && event_type !== 'DELIVER') return;
      agents.add(agent_id);
      if (target_agent_id !== undefined) agents.add(target_agent_id);
    }),
    changes: await read<StoredScoreChange>(space, scoreChanges, changes, ({ from, to }) => told(from, to)),
  };
  return { agents, pairs, upTo };
}

/** Resolves when one of the logs goes on behind where it was read, or the signal is aborted. */
export async function nextNews(space: Space, { activity: signed, changes }: Cursor, signal: AbortSignal) {
  await Promise.race([space.tail(activity, signed, signal).next(), space.tail(scoreChanges, changes, signal).next()]);
}

async function read<T>(space: Space, of: AppendLog<T>, after: number, tell: (record: T) => void): Promise<number> {
  let last = after;
  for (;;) {
    const rows: Logged<T>[] = await space.page(of, { after: last, limit: PAGE });
    for (const { id, record } of rows) {
      tell(record);
      last = id;
    }
    if (rows.length < PAGE) return last;
  }
}
