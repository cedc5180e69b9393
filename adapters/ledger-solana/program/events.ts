import bs58 from 'bs58';
import { decodeFields } from './layout/codec.ts';
import { EVENT_NAMES, EVENTS, type EventName, type EventValues } from './layout/events.ts';
import { sizeOf } from './layout/fields.ts';

/** One thing that happened under a config, as the program logged it. */
export type ProgramEvent = {
  [N in EventName]: { readonly name: N; readonly config: string; readonly values: EventValues<N> };
}[EventName];

const HEAD = 33;

/** The event in these bytes; undefined when the code is unknown or the length does not fit. */
export function decodeEvent(bytes: Uint8Array): ProgramEvent | undefined {
  const name = EVENT_NAMES[bytes[0] ?? EVENT_NAMES.length];
  if (!name || bytes.length !== HEAD + sizeOf(EVENTS[name])) return undefined;
  const config = bs58.encode(bytes.subarray(1, HEAD));
  return { name, config, values: decodeFields(EVENTS[name], bytes.subarray(HEAD)) } as ProgramEvent;
}

/**
 * Events of our program in the logs of one transaction, in order. A log line belongs to the program that runs at that
 * moment, so lines of other programs that look like ours are left out. Empty for a failed transaction's logs too: the
 * caller must not pass them. `truncated` says that the runtime cut the logs and events may be missing.
 */
export function eventsInLogs(
  logs: readonly string[],
  programId: string,
): { readonly events: ProgramEvent[]; readonly truncated: boolean } {
  const events: ProgramEvent[] = [];
  const running: string[] = [];
  let truncated = false;
  for (const line of logs) {
    const words = line.split(' ');
    if (line === 'Log truncated') truncated = true;
    else if (words[0] === 'Program' && words[2] === 'invoke') running.push(words[1]!);
    else if (words[0] === 'Program' && (words[2] === 'success' || words[2] === 'failed:')) running.pop();
    else if (running.at(-1) === programId && line.startsWith('Program data: ')) {
      const event = decodeEvent(Buffer.from(words[2]!, 'base64'));
      if (event) events.push(event);
    }
  }
  return { events, truncated };
}
