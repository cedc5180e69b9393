/** Objects of A2A 1.0 in their JSON, as far as this plugin writes and reads them. */
export const TASK_STATES = [
  ...(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'] as const),
  ...(['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'] as const),
] as const;
export type TaskState = (typeof TASK_STATES)[number];

const ENDS: readonly TaskState[] = TASK_STATES.slice(4);

/** A task in such a state never changes again. */
export function isTerminal(state: TaskState): boolean {
  return ENDS.includes(state);
}

/** A task in such a state waits for its client. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

export type Metadata = Readonly<Record<string, unknown>>;

export interface Part {
  readonly text?: string;
  readonly data?: unknown;
  readonly raw?: string;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
}

export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly Part[];
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts: readonly Part[];
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  readonly timestamp: string;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: Metadata;
}

/** One event of a stream or of a push. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: { readonly taskId: string; readonly contextId: string; readonly status: TaskStatus } }
  | {
      readonly artifactUpdate: {
        readonly taskId: string;
        readonly contextId: string;
        readonly artifact: Artifact;
        readonly lastChunk: true;
      };
    };

export interface PushConfig {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

/** The extension under which deals are told and agreed: a key of metadata, and in the list of a card. */
export const DEAL_EXTENSION = 'urn:agent-mesh:a2a:deal:1';
