import type { AppendLog } from '../../storage/declarations.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';

/** The newest records, or those before an id. */
export interface Part {
  readonly limit: number;
  readonly before?: number | undefined;
}

/**
 * The newest records that carry one of these postings, newest first; none carries two of them. Each posting is read as far as its share
 * goes, and those that lie thicker are read once more: old records come from files, each from a block of its own.
 */
export async function newestOf<T>(
  space: Space,
  log: AppendLog<T>,
  postings: readonly string[],
  { limit, before }: Part,
): Promise<Logged<T>[]> {
  const share = Math.ceil(limit / postings.length);
  const page = (posting: string, part: Part) => space.page(log, { posting, ...part });
  const pages = await Promise.all(postings.map((posting) => page(posting, { limit: share, before })));
  const found = inOrder(pages.flat());
  const border = found[limit - 1]?.id ?? 0;
  const rest = pages.map((rows, place) => {
    const last = rows.at(-1)?.id ?? 0;
    if (rows.length < share || last <= border) return [];
    const above = found.findIndex(({ id }) => id === last) + 1;
    return page(postings[place]!, { limit: limit - above, before: last });
  });
  return inOrder([...found, ...(await Promise.all(rest)).flat()]).slice(0, limit);
}

function inOrder<T>(rows: Logged<T>[]): Logged<T>[] {
  return rows.sort((one, other) => other.id - one.id);
}
