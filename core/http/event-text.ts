import { isEventId, isServerEvent } from './events.ts';
import { isSharedFrame, type SharedFrame } from './frame.ts';

/** A comment, which keeps a connection from looking idle to what lies between. */
export const COMMENT = ':\n\n';

const lines = new WeakMap<SharedFrame<unknown>, readonly string[]>();

/** The id and the frame of what a handler yields. An id that could not be sent back is a fault. */
export function idAndFrame(item: unknown): { readonly id: string | undefined; readonly frame: unknown } {
  if (!isServerEvent(item)) return { id: undefined, frame: item };
  if (!isEventId(item.id)) {
    throw new Error(
      `${JSON.stringify(item.id.slice(0, 64))} is no id of an event: 1 to 256 printable ASCII characters`,
    );
  }
  return { id: item.id, frame: item.frame };
}

/**
 * A handler's frame as core sends it (HTML, 9.2): JSON has no line breaks, so the data is one line. Of frames that were
 * joined the last one has the id. Frames shared by many clients are serialised once, unless each is changed for its client.
 */
export function eventText(item: unknown, changed?: (value: unknown) => unknown): string {
  const { id, frame } = idAndFrame(item);
  const texts = changed ? valuesOf(frame).map((value) => dataOf(changed(value))) : textsOf(frame);
  return id === undefined ? texts.join('') : [...texts.slice(0, -1), `id: ${id}\n`, ...texts.slice(-1)].join('');
}

/** The last event of every stream. `EventSource` connects again all the same, unless its owner closes it then. */
export function endText(code: number, reason: string): string {
  return `event: end\n${dataOf({ code, reason })}`;
}

function textsOf(frame: unknown): readonly string[] {
  if (!isSharedFrame(frame)) return [dataOf(frame)];
  const known = lines.get(frame) ?? frame.values.map(dataOf);
  lines.set(frame, known);
  return known;
}

function valuesOf(frame: unknown): readonly unknown[] {
  return isSharedFrame(frame) ? frame.values : [frame];
}

function dataOf(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
