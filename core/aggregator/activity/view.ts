import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import { type StoredActivity, shownId } from '../store/logs.ts';
import { momentOf } from '../times.ts';

export type ActivityEvent = SchemaTypes['activity-event'];

/** A stored event in the shape of `/activity` and `/ws/activity`. */
export function activityEvent({ id, record: { at, envelope, ...event } }: Logged<StoredActivity>): ActivityEvent {
  const { target_agent_id: target } = event;
  return { id, ...event, ...(target !== undefined && { target_id: target }), ...shownId(envelope), ...momentOf(at) };
}
