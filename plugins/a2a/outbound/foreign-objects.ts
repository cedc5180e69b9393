import { isShallow } from '../protocol/depth.ts';
import { type Artifact, type Part, TASK_STATES, type TaskState } from '../protocol/objects.ts';
import { type JobRecord, type JobState, MOST_ARTIFACTS } from './records.ts';

const MOST_ID = 256;
const MOST_TEXT = 16 * 1024;
const MOST_PARTS = 64;
/** Bytes of the work of one job, as JSON, that are kept. */
const MOST_WORK = 512 * 1024;
const UNSEEN = /[^\P{Cc}\n\t]|\p{Bidi_Control}|\p{Surrogate}/gu;
/** Half of a character, which is no text and stands in no URL. */
const TORN = /\p{Surrogate}/u;

/** The answer of an agent elsewhere, as far as a job keeps it. `task` is empty when it is a message. */
export type Told = Pick<JobRecord, 'task' | 'context' | 'text' | 'artifacts' | 'error'> & {
  readonly state: Exclude<JobState, 'sending' | 'unclear'>;
};

/** A stranger's text without control characters and marks of direction, at most so many characters of it. */
export function cleaned(text: string, most: number): string {
  return [...text.replace(UNSEEN, '')].slice(0, most).join('');
}

/** The answer to a message or to a question after a task; undefined when it is none that A2A 1.0 knows. */
export function toldBy(answer: unknown): Told | undefined {
  if (!isShallow(answer)) return undefined;
  const { task, message } = recordOf(answer) ?? {};
  if (recordOf(message)) {
    // An agent may answer at once, without a task: that is its work.
    const parts = partsIn(recordOf(message)!['parts']);
    return {
      task: '',
      context: '',
      state: 'completed',
      text: wordsOf(parts),
      ...workOf([{ artifactId: 'message', parts }]),
    };
  }
  return taskTold(task ?? answer);
}

function taskTold(value: unknown): Told | undefined {
  const { id, contextId, status, artifacts } = recordOf(value) ?? {};
  const { state, message } = recordOf(status) ?? {};
  if (!isId(id) || !TASK_STATES.includes(state as TaskState)) return undefined;
  const read = Array.isArray(artifacts) ? artifacts.slice(0, MOST_ARTIFACTS).flatMap(artifactOf) : [];
  return {
    task: id,
    context: isId(contextId) ? contextId : '',
    state: (state as string).slice('TASK_STATE_'.length).toLowerCase() as Told['state'],
    text: wordsOf(partsIn(recordOf(message)?.['parts'])),
    ...workOf(read),
  };
}

function workOf(artifacts: readonly Artifact[]): Pick<Told, 'artifacts' | 'error'> {
  if (Buffer.byteLength(JSON.stringify(artifacts)) <= MOST_WORK) return { artifacts, error: null };
  return {
    artifacts: [],
    error: `The work is larger than ${MOST_WORK / 1024} KiB and is not kept; ask the agent for it.`,
  };
}

function artifactOf(value: unknown): Artifact[] {
  const { artifactId, name, parts } = recordOf(value) ?? {};
  if (!isId(artifactId)) return [];
  return [{ artifactId, ...(typeof name === 'string' && { name: cleaned(name, MOST_ID) }), parts: partsIn(parts) }];
}

/** Text as it came: it is the owner's to read. Other members are dropped. */
function partsIn(value: unknown): Part[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_PARTS).flatMap((one): Part[] => {
    const { text, data, raw, url, mediaType, filename } = recordOf(one) ?? {};
    const more = {
      ...(typeof mediaType === 'string' && { mediaType: cleaned(mediaType, MOST_ID) }),
      ...(typeof filename === 'string' && { filename: cleaned(filename, MOST_ID) }),
    };
    if (typeof text === 'string') return [{ text, ...more }];
    if (typeof raw === 'string') return [{ raw, ...more }];
    if (typeof url === 'string') return [{ url, ...more }];
    return data === undefined ? [] : [{ data, ...more }];
  });
}

function wordsOf(parts: readonly Part[]): string {
  const words = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  return cleaned(words.join('\n'), MOST_TEXT);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MOST_ID && !TORN.test(value);
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
