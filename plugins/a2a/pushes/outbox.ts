import type { Ref, Space, Tx } from '../../../core/services.ts';
import type { StreamResponse } from '../protocol/objects.ts';
import { callerOf } from '../protocol/visit.ts';
import type { TaskRecord } from '../tasks/records.ts';
import { artifactEvent, changes, statusEvent } from '../tasks/shown.ts';
import { lineRef, lines, MOST_LINES, MOST_WAITING, type PushLine, rooms, type WaitingPush } from './records.ts';

/** Milliseconds for which a change is kept for a receiver that does not take it. */
const PATIENCE = 24 * 3_600_000;

/** How the store took the changes of a task. */
export interface Noted {
  /** The caller of the task, whose receivers have something to be told. */
  readonly caller: string;
  /** Receivers that found no room. */
  readonly dropped: number;
}

/** Puts the changes of a task down for its receivers, in the transaction that changes it. */
export function note(tx: Tx, before: TaskRecord, after: TaskRecord): Noted | undefined {
  if (after.pushes.length === 0) return undefined;
  const news = changes(before, after).map((event) => waitingOf(event, tx.now));
  if (news.length === 0) return undefined;
  const caller = callerOf(after.scope);
  const room = rooms.ref(caller);
  const refs = after.pushes.map(({ id }) => lineRef(after.id, id));
  const [taken, ...found] = tx.pull<any>([room, ...refs]) as [{ lines: number }?, ...(PushLine | undefined)[]];
  let count = taken?.lines ?? 0;
  let dropped = 0;
  for (const [index, { id: config }] of after.pushes.entries()) {
    const line = found[index];
    if (!line && count >= MOST_LINES) {
      dropped += 1;
      continue;
    }
    if (!line) count += 1;
    const fresh: PushLine = { caller, task: after.id, config, due: tx.now, attempts: 0, waiting: [] };
    const { waiting } = line ?? fresh;
    tx.put(refs[index]!, { ...(line ?? fresh), waiting: bounded([...waiting, ...news]) });
  }
  if (count !== (taken?.lines ?? 0)) tx.put(room, { lines: count });
  return { caller, dropped };
}

/** The first may be on its way to the receiver, so the one behind it makes room. */
function bounded(waiting: readonly WaitingPush[]): readonly WaitingPush[] {
  return waiting.length <= MOST_WAITING ? waiting : [waiting[0]!, ...waiting.slice(1 - MOST_WAITING)];
}

/** Takes the line that is due first, and puts it off for `ms`: until then nobody else takes it. */
export async function take(space: Space, caller: string, now: number, ms: number): Promise<PushLine | undefined> {
  const due = await space.page(lines, { index: 'due', from: [caller, 0], to: [caller, now + 1], limit: 8 });
  for (const { id } of due) {
    const [ref, room] = [lines.ref(id), rooms.ref(caller)];
    const { value } = await space.tx([ref, room], (tx) => {
      const line = tx.get(ref);
      if (!line || line.due > tx.now) return undefined;
      const waiting = line.waiting.filter(({ at }) => at > tx.now - PATIENCE);
      if (waiting.length === 0) return remove(tx, ref, caller);
      // The attempts were made at the first of them.
      const attempts = waiting[0] === line.waiting[0] ? line.attempts : 0;
      const taken: PushLine = { ...line, waiting, attempts, due: tx.now + ms };
      tx.put(ref, taken);
      return taken;
    });
    if (value) return value;
  }
  return undefined;
}

/** Ends an attempt at the first of a line that was taken: it is gone, or tried again after `pause` milliseconds. */
export async function settle(space: Space, taken: PushLine, pause: number | undefined): Promise<void> {
  const [ref, room] = [lineRef(taken.task, taken.config), rooms.ref(taken.caller)];
  await space.tx([ref, room], (tx) => {
    const line = tx.get(ref);
    // Somebody else took it meanwhile.
    if (line?.due !== taken.due) return;
    if (pause !== undefined) return tx.put(ref, { ...line, attempts: line.attempts + 1, due: tx.now + pause });
    const waiting = line.waiting.slice(1);
    if (waiting.length === 0) return void remove(tx, ref, taken.caller);
    tx.put(ref, { ...line, waiting, attempts: 0, due: tx.now });
  });
}

/** Forgets a line whose receiver is not to be told any more. */
export async function forget(space: Space, { task, config, caller }: PushLine): Promise<void> {
  const [ref, room] = [lineRef(task, config), rooms.ref(caller)];
  await space.tx([ref, room], (tx) => {
    if (tx.get(ref)) remove(tx, ref, caller);
  });
}

/** Needs the line and the room of its caller among the reads. */
function remove(tx: Tx, ref: Ref<PushLine>, caller: string): undefined {
  const room = rooms.ref(caller);
  const left = (tx.get(room)?.lines ?? 1) - 1;
  tx.del(ref);
  if (left > 0) tx.put(room, { lines: left });
  else tx.del(room);
}

function waitingOf(event: StreamResponse, at: number): WaitingPush {
  if ('artifactUpdate' in event) return { at, artifact: event.artifactUpdate.artifact.artifactId };
  if ('statusUpdate' in event) return { at, status: event.statusUpdate.status };
  throw new TypeError('a task changes by artifacts and statuses');
}

/** The event that tells a change; undefined when the task does not hold it any more. */
export function eventOf(record: TaskRecord, { artifact: id, status }: WaitingPush): StreamResponse | undefined {
  if (status) return statusEvent(record, status);
  const artifact = record.artifacts.find(({ artifactId }) => artifactId === id);
  return artifact && artifactEvent(record, artifact);
}
