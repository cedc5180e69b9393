import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * What the worker is asked for, as the message of a proposal: the counts of a file on this machine, as JSON, or of a
 * text, as `count: the text`.
 */
export type Task = FileTask | TextTask;

export interface FileTask {
  readonly task: typeof CAPABILITY;
  readonly file: string;
  readonly sha256: string;
}

export interface TextTask {
  readonly task: typeof CAPABILITY;
  readonly text: string;
}

export const CAPABILITY = 'text-statistics';
const TEXT_PREFIX = 'count: ';
const LARGEST_FILE = 16 * 1024 * 1024;

export async function describeTask(fileUrl: string): Promise<FileTask> {
  return { task: CAPABILITY, file: fileUrl, sha256: digest(await contentOf(fileUrl)) };
}

/** The task of a proposal's message; undefined when it asks for something else. */
export function parseTask(message: string): Task | undefined {
  if (message.startsWith(TEXT_PREFIX)) return { task: CAPABILITY, text: message.slice(TEXT_PREFIX.length) };
  try {
    const task = JSON.parse(message) as Partial<FileTask>;
    if (task.task !== CAPABILITY || typeof task.file !== 'string' || typeof task.sha256 !== 'string') return undefined;
    return task.file.startsWith('file:') ? (task as FileTask) : undefined;
  } catch {
    return undefined;
  }
}

/** The text the task speaks of; rejects when the file is not the one that was described. */
export async function textOf(task: Task): Promise<string> {
  if ('text' in task) return task.text;
  const bytes = await contentOf(task.file);
  if (digest(bytes) !== task.sha256) throw new Error(`${task.file} has changed since it was proposed`);
  return bytes.toString('utf8');
}

async function contentOf(fileUrl: string): Promise<Buffer> {
  const bytes = await readFile(fileURLToPath(fileUrl));
  if (bytes.length > LARGEST_FILE) throw new Error(`${fileUrl} is larger than 16 MiB`);
  return bytes;
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
