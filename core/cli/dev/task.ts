import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The worker's task, as the message of a proposal: to count a file on this machine, as JSON, or the words of the message itself, with
 * or without `count: ` before them.
 */
export type Task = FileTask | TextTask;

export interface FileTask {
  readonly task: typeof CAPABILITY;
  /** A file URL. */
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

/** The task of counting a file as it is now. Rejects with a sentence when it cannot be read. */
export async function describeTask(fileUrl: string): Promise<FileTask> {
  return { task: CAPABILITY, file: fileUrl, sha256: digest(await contentOf(fileUrl)) };
}

/** The task of a proposal's message; undefined when it asks for something else. */
export function parseTask(message: string): Task | undefined {
  if (message.startsWith(TEXT_PREFIX)) return { task: CAPABILITY, text: message.slice(TEXT_PREFIX.length) };
  if (!/^\s*(?:[[{]|$)/.test(message)) return { task: CAPABILITY, text: message };
  try {
    const task = JSON.parse(message) as Partial<FileTask> | null;
    if (task?.task !== CAPABILITY || typeof task.file !== 'string' || typeof task.sha256 !== 'string') return undefined;
    return task.file.startsWith('file:') ? (task as FileTask) : undefined;
  } catch {
    return undefined;
  }
}

/** The text the task speaks of; rejects when the file is not the one that was described. */
export async function textOf(task: Task): Promise<string> {
  if ('text' in task) return task.text;
  const bytes = await contentOf(task.file);
  if (digest(bytes) !== task.sha256) throw new Error(`${fileURLToPath(task.file)} has changed since it was proposed`);
  return bytes.toString('utf8');
}

/** Whether the file is still the one that was described. */
export async function isCurrent(task: FileTask): Promise<boolean> {
  return digest(await contentOf(task.file)) === task.sha256;
}

export function nameOf(fileUrl: string): string {
  return basename(fileURLToPath(fileUrl));
}

async function contentOf(fileUrl: string): Promise<Buffer> {
  const path = fileURLToPath(fileUrl);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} ${REASONS[error.code ?? ''] ?? `cannot be read (${error.code})`}`);
  });
  if (bytes.length > LARGEST_FILE) throw new Error(`${path} is larger than 16 MiB`);
  return bytes;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read by you',
};

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
