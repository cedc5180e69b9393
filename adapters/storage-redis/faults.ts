import { StorageError } from '../../core/storage/adapter.ts';

const REASONS: readonly [pattern: RegExp, fault: 'full' | 'unavailable' | 'corrupt', text: string][] = [
  [/\bOOM\b/, 'full', 'Redis has reached its maxmemory; nothing was changed'],
  [/\bLOADING\b/, 'unavailable', 'Redis is still loading its data'],
  [/\bBUSY\b/, 'unavailable', 'Redis is busy with another script'],
  [/\bREADONLY\b/, 'unavailable', 'this Redis is a read-only replica; give the address of its primary'],
  [/\bMASTERDOWN\b/, 'unavailable', 'this Redis is a replica without its primary'],
  [/\bNOREPLICAS\b/, 'unavailable', 'Redis has fewer replicas than its min-replicas-to-write asks for'],
  [/\bMISCONF\b/, 'unavailable', 'Redis takes no writes because it cannot save to its disk'],
  [/\b(MOVED|CLUSTERDOWN|TRYAGAIN|ASK)\b/, 'unavailable', 'this node of the Redis cluster does not hold the store'],
  [/\b(NOAUTH|WRONGPASS)\b/, 'unavailable', 'Redis refuses the user name or password of the URL'],
  [/\bNOPERM\b/, 'unavailable', 'the Redis user may not run the commands and scripts of the store'],
  [/\bWRONGTYPE\b/, 'corrupt', 'something else was written under the keys of the store'],
];

/** What a failed call means to core. Its text never holds what was sent. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isReply(error)) {
    const [, fault, text] = REASONS.find(([pattern]) => pattern.test(message)) ?? [];
    if (fault && text) return new StorageError(fault, text, { cause: error });
    return new StorageError('unavailable', `Redis answered: ${message.slice(0, 200)}`, { cause: error });
  }
  if (message === 'Command timed out') {
    return new StorageError('unavailable', 'Redis did not answer in time', { cause: error });
  }
  return new StorageError('unavailable', 'the connection to Redis was lost before it answered', { cause: error });
}

/** An error that the server itself gave as the answer; the connection is well. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

export function isUnknownScript(error: unknown): boolean {
  return isReply(error) && /\bNOSCRIPT\b/.test(error.message);
}

/** The command was refused by the client because there was no connection: it never left this process. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}

export function closed(): StorageError {
  return new StorageError('closed', 'the store is closed');
}
