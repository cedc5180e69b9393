import type { ListParams } from '../protocol/params.ts';
import { invalidParam } from '../protocol/refusal.ts';
import type { TaskRecord } from './records.ts';
import { taskOf } from './shown.ts';

/** A page of a caller's tasks, those that changed last first. */
export function pageOf(all: readonly TaskRecord[], params: ListParams): object {
  const { status, pageSize, pageToken, statusTimestampAfter, includeArtifacts = false, historyLength } = params;
  const since = statusTimestampAfter === undefined ? 0 : Date.parse(statusTimestampAfter);
  const matching = all
    .filter(({ state, at }) => (status === undefined || state === status) && at >= since)
    .sort((one, other) => other.at - one.at || (one.id < other.id ? -1 : 1));
  const rest = pageToken === undefined ? matching : matching.filter(isBehind(pageToken));
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tasks: page.map((record) => taskOf(record, { historyLength, artifacts: includeArtifacts })),
    nextPageToken: last && rest.length > page.length ? tokenOf(last) : '',
    pageSize,
    totalSize: matching.length,
  };
}

function tokenOf({ at, id }: TaskRecord): string {
  return Buffer.from(`${at}.${id}`).toString('base64url');
}

function isBehind(token: string): (record: TaskRecord) => boolean {
  const [, at, id = ''] = /^(\d{1,15})\.([0-9a-f]{32})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (at === undefined) throw invalidParam('pageToken', 'is not one that this agent gave');
  const time = Number(at);
  return (record) => record.at < time || (record.at === time && record.id > id);
}
