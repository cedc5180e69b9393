import type { Settlement } from '../../ledger/settlement.ts';
import type { AccusationAccount } from '../../protocol/settlement/accounts.ts';

const AT_ONCE = 100;

export interface OpenAccusations {
  /** Those that exist. */
  readonly accounts: readonly AccusationAccount[];
  /** All were read at this finalised slot or a later one. */
  readonly slot: number;
}

/** Which of these headers of a key are accused, not read from before the slot `atLeast`. */
export async function readAccusations(
  settlement: Settlement,
  key: string,
  ids: readonly string[],
  atLeast: number,
): Promise<OpenAccusations> {
  const accounts: AccusationAccount[] = [];
  let oldest: number | undefined;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const names = ids.slice(start, start + AT_ONCE).map((id) => ({ key, id }));
    const { slot, value } = await settlement.accusations(names, atLeast);
    accounts.push(...value.filter((account) => account !== undefined));
    oldest = Math.min(oldest ?? slot, slot);
  }
  return { accounts, slot: oldest ?? atLeast };
}
