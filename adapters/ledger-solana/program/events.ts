import bs58 from 'bs58';
import { decodeFields } from './layout/codec.ts';
import { EVENT_MARK, EVENT_NAMES, EVENTS, type EventName, type EventValues } from './layout/events.ts';
import { sizeOf } from './layout/fields.ts';

/** One thing that happened under a config, as the program told it. */
export type ProgramEvent = {
  [N in EventName]: { readonly name: N; readonly config: string; readonly values: EventValues<N> };
}[EventName];

/** An instruction that was executed, whether a transaction or a program asked for it. */
export interface ExecutedInstruction {
  readonly programId: string;
  readonly data: Uint8Array;
}

/** The mark, the code, the config. */
const HEAD = 34;

/** The event in the data of an instruction of the program; undefined when it carries none. */
export function decodeEvent(data: Uint8Array): ProgramEvent | undefined {
  const name = data[0] === EVENT_MARK ? EVENT_NAMES[data[1] ?? EVENT_NAMES.length] : undefined;
  if (!name || data.length !== HEAD + sizeOf(EVENTS[name])) return undefined;
  const config = bs58.encode(data.subarray(2, HEAD));
  return { name, config, values: decodeFields(EVENTS[name], data.subarray(HEAD)) } as ProgramEvent;
}

/**
 * The events of one successful transaction, in order: give every instruction that it executed, each outer one
 * followed by the inner ones under it. The caller of an instruction need not be known: the program takes an
 * instruction with the mark from nobody but itself, so in a transaction that succeeded it is genuine. Of a failed
 * transaction nothing is.
 */
export function eventsInInstructions(programId: string, executed: Iterable<ExecutedInstruction>): ProgramEvent[] {
  const events: ProgramEvent[] = [];
  for (const instruction of executed) {
    const event = instruction.programId === programId ? decodeEvent(instruction.data) : undefined;
    if (event) events.push(event);
  }
  return events;
}
