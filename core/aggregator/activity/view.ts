import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import type { StoredActivity } from '../store/logs.ts';
import { isoTime } from '../times.ts';

export type ActivityEvent = SchemaTypes['activity-event'];

/** A stored event in the shape of `/activity` and `/ws/activity`. */
export function activityEvent({ id, record: { at, ...event } }: Logged<StoredActivity>): ActivityEvent {
  return { id, ...event, created_at: isoTime(at) };
}
