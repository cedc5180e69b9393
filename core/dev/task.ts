import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the worker is asked for, as the message of a proposal: `count: the text`, or a file described in JSON. */
export interface Task {
  readonly task: typeof CAPABILITY;
  readonly subject: FileSubject | TextSubject;
  /** Whoever asks may say so. */
  readonly asked_by?: string | undefined;
}

/** A file URL: both agents live on one machine. */
interface FileSubject {
  readonly file: string;
  readonly sha256: string;
}

interface TextSubject {
  readonly text: string;
}

export const CAPABILITY = 'text-statistics';
const TEXT_PREFIX = 'count: ';
const LARGEST_FILE = 16 * 1024 * 1024;

/** Rejects with a sentence when the file cannot be read. */
export async function readable(fileUrl: string): Promise<void> {
  await contentOf(fileUrl);
}

/** The message that asks for the counts of a file as it is now. Rejects with a sentence when it cannot be read. */
export async function fileTaskMessage(file: string, askedBy: string): Promise<string> {
  return JSON.stringify({ task: CAPABILITY, file, sha256: digest(await contentOf(file)), asked_by: askedBy });
}

/** The task of a proposal's message; undefined when it asks for something else. */
export function parseTask(message: string): Task | undefined {
  if (message.startsWith(TEXT_PREFIX))
    return { task: CAPABILITY, subject: { text: message.slice(TEXT_PREFIX.length) } };
  try {
    const asked = JSON.parse(message) as Partial<FileSubject & Task> | null;
    if (asked?.task !== CAPABILITY || typeof asked.file !== 'string' || typeof asked.sha256 !== 'string')
      return undefined;
    const { file, sha256, asked_by } = asked;
    return file.startsWith('file:') ? { task: CAPABILITY, subject: { file, sha256 }, asked_by } : undefined;
  } catch {
    return undefined;
  }
}

/** The text the task speaks of; rejects when the file is not the one that was described. */
export async function textOf({ subject }: Task): Promise<string> {
  if ('text' in subject) return subject.text;
  const bytes = await contentOf(subject.file);
  if (digest(bytes) === subject.sha256) return bytes.toString('utf8');
  throw new Error(`${fileURLToPath(subject.file)} has changed since it was proposed`);
}

/** Whether the file is still the one that was described. */
export async function isCurrent({ subject }: Task): Promise<boolean> {
  return 'text' in subject || digest(await contentOf(subject.file)) === subject.sha256;
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
