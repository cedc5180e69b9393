import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { disputes, raisedPosting, type StoredDispute } from '../store/logs.ts';
import { disputeItem } from './view.ts';

type Query = SchemaTypes['disputes-query'];
type Role = NonNullable<Query['role']>;

const ROLES: readonly Role[] = ['disputed', 'disputer'];

/** Disputes in which an agent is a party, with its role in each; newest first. */
export async function listDisputes(
  space: Space,
  agentId: string,
  { role, limit = 50, before }: Query,
): Promise<SchemaTypes['disputes']> {
  const roles = role === undefined ? ROLES : [role];
  const pages = await Promise.all(
    roles.map((one) =>
      space.page(disputes, { posting: one === 'disputed' ? agentId : raisedPosting(agentId), limit, before }),
    ),
  );
  return pages
    .flat()
    .sort((one, other) => other.id - one.id)
    .slice(0, limit)
    .map((row) => ({ ...disputeItem(row), role: roleIn(row, agentId) }));
}

function roleIn({ record }: Logged<StoredDispute>, agentId: string): Role {
  return record.disputed_agent === agentId ? 'disputed' : 'disputer';
}
