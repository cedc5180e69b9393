import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** What the requester asks for, as the JSON text of its proposal. */
export interface Task {
  readonly task: 'text-statistics';
  readonly file: string;
  readonly sha256: string;
}

export const CAPABILITY = 'text-statistics';
const LARGEST_FILE = 16 * 1024 * 1024;

export async function describeTask(fileUrl: string): Promise<Task> {
  return { task: CAPABILITY, file: fileUrl, sha256: digest(await contentOf(fileUrl)) };
}

/** The task of a proposal's message; undefined when it asks for something else. */
export function parseTask(message: string): Task | undefined {
  try {
    const task = JSON.parse(message) as Partial<Task>;
    if (task.task !== CAPABILITY || typeof task.file !== 'string' || typeof task.sha256 !== 'string') return undefined;
    return task.file.startsWith('file:') ? (task as Task) : undefined;
  } catch {
    return undefined;
  }
}

/** The text the task speaks of; rejects when the file is not the one that was described. */
export async function textOf(task: Task): Promise<string> {
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
