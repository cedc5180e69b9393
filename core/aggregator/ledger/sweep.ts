import type { Space } from '../../storage/space.ts';
import { agents } from '../store/agents.ts';
import { escrows, positions, stakes } from '../store/ledger.ts';
import { unread } from './effects/stake.ts';
import { START } from './indexer.ts';

const PAGE = 200;
const STAGES = ['stakes', 'agents', 'escrows'] as const;

/**
 * After a gap in the history, marks every account that could have changed unseen: those known, those of every agent
 * this aggregator has heard of, and escrows that had not ended. Goes on where it stopped.
 */
export async function sweepAfterGap(space: Space, config: string, signal: AbortSignal): Promise<void> {
  const ref = positions.ref(config);
  for (;;) {
    const position = await space.get(ref);
    if (signal.aborted || !position || position.sweep === null) return;
    const [stage, id] = placeOf(position.sweep);
    const next = await markPage(space, stage, id);
    await space.tx([ref], (tx) => {
      const current = tx.get(ref) ?? START;
      // A gap met meanwhile begins anew.
      if (current.sweep === position.sweep) tx.put(ref, { ...current, sweep: next });
    });
  }
}

type Stage = (typeof STAGES)[number];

function placeOf(sweep: string): [Stage, string] {
  const [stage = '', id = ''] = sweep.split(' ');
  return [STAGES.find((name) => name === stage) ?? STAGES[0], id];
}

/** Marks one page; gives where the next one begins, null behind the last. */
async function markPage(space: Space, stage: Stage, id: string): Promise<string | null> {
  const part = { limit: PAGE, ...(id !== '' && { after: { key: id, id } }) };
  const ids = await MARK[stage](space, part);
  if (ids.length === PAGE) return `${stage} ${ids.at(-1)}`;
  const next = STAGES[STAGES.indexOf(stage) + 1];
  return next === undefined ? null : `${next} `;
}

interface Part {
  readonly limit: number;
  readonly after?: { readonly key: string; readonly id: string };
}

const MARK: Readonly<Record<Stage, (space: Space, part: Part) => Promise<string[]>>> = {
  stakes: async (space, part) => markStakes(space, await space.page(stakes, part)),
  agents: async (space, part) => markStakes(space, await space.page(agents, part)),
  escrows: markEscrows,
};

async function markStakes(space: Space, rows: readonly { readonly id: string }[]): Promise<string[]> {
  await Promise.all(
    rows.map(({ id }) =>
      space.tx([stakes.ref(id)], (tx) =>
        tx.put(stakes.ref(id), { ...(tx.get(stakes.ref(id)) ?? unread(id)), stale: true }),
      ),
    ),
  );
  return rows.map(({ id }) => id);
}

async function markEscrows(space: Space, part: Part): Promise<string[]> {
  const rows = await space.page(escrows, part);
  const open = rows.filter(({ value }) => value.closed_at === null && value.state !== 'unknown');
  await Promise.all(
    open.map(({ id }) =>
      space.tx([escrows.ref(id)], (tx) => {
        const known = tx.get(escrows.ref(id));
        if (known?.closed_at === null) tx.put(escrows.ref(id), { ...known, stale: true });
      }),
    ),
  );
  return rows.map(({ id }) => id);
}
