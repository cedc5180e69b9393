import assert from 'node:assert/strict';
import type { DealView } from '../../../core/services.ts';
import type { TaskRecord } from '../../../plugins/a2a/tasks/records.ts';
import { withDeal } from '../../../plugins/a2a/tasks/task-book.ts';

const AT = '2026-01-01T12:00:00.000Z';

describe('a task for an agent that goes on under another key', () => {
  const status = { state: 'TASK_STATE_WORKING', text: 'At work.', data: null, final: false } as const;
  const record = { agent: 'old', state: 'TASK_STATE_WORKING', deal_text: 'At work.', final: false, artifacts: [] };
  const deal = { provider: 'next', state: 'accepted', updated_at: AT, history: [] } as unknown as DealView;

  it('is the task of the key that the deal is with, which delivers', () => {
    const known = { ...record, deal_at: Date.parse(AT), deal_state: 'accepted' } as unknown as TaskRecord;
    const after = withDeal(deal, status)(known, 1);
    assert.equal(after.agent, 'next');
    assert.equal(withDeal(deal, status)(after, 2), after, 'nothing new');
  });
});
