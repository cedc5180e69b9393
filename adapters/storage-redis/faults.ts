import { StorageError } from '../../core/storage/adapter.ts';

export const READ_ONLY = 'this Redis is a read-only replica; give the address of its primary';
const LOADING = 'Redis is still loading its data; try again when it has';
/** Where they stand. */
const AUTHORITY = 'give both as redis://user:password@host:port, with special characters percent-encoded';

const REASONS: readonly [pattern: RegExp, fault: 'full' | 'unavailable' | 'corrupt', text: string][] = [
  [
    /\bOOM\b/,
    'full',
    'Redis has reached its maxmemory; nothing was changed. Give it more, or remove what nobody needs',
  ],
  [/\bLOADING\b/, 'unavailable', LOADING],
  [/\bBUSY\b/, 'unavailable', 'Redis is busy with another script; try again, or end that one with SCRIPT KILL'],
  [/\bREADONLY\b/, 'unavailable', READ_ONLY],
  [/\bMASTERDOWN\b/, 'unavailable', 'this Redis is a replica without its primary; give the address of a primary'],
  [
    /\bNOREPLICAS\b/,
    'unavailable',
    'Redis has fewer replicas than its min-replicas-to-write asks for; start them, or ask for fewer',
  ],
  [
    /\bMISCONF\b/,
    'unavailable',
    'Redis takes no writes because it cannot save to its disk; its own log says why, often that the disk is full',
  ],
  [
    /\bCLUSTERDOWN\b/,
    'unavailable',
    'the Redis cluster does not serve all of its slots; "redis-cli --cluster check" says which, and "--cluster fix" mends it',
  ],
  [
    /\b(MOVED|TRYAGAIN|ASK)\b/,
    'unavailable',
    'this node of the Redis cluster does not hold the store; give the address of the one that holds its prefix',
  ],
  [/\bNOAUTH\b/, 'unavailable', `Redis wants a password; ${AUTHORITY}`],
  [/\bWRONGPASS\b/, 'unavailable', `Redis refuses the user name or password of the URL; ${AUTHORITY}`],
  [
    /\bDENIED\b/,
    'unavailable',
    'Redis is in protected mode: it lets only its own machine in. Give it a password ("requirepass") and the URL, too',
  ],
  [
    /\bDB index\b|\bSELECT is not allowed\b/,
    'unavailable',
    'this Redis has no database of that number; give a lower one behind the last slash of the URL, such as /0',
  ],
  [
    /\bNOPERM\b/,
    'unavailable',
    'the Redis user may not run the commands and scripts of the store; let it: ACL SETUSER name ~{prefix}* +@all -@admin +bgrewriteaof',
  ],
  [
    /\bWRONGTYPE\b/,
    'corrupt',
    'something else was written under the keys of the store; give another storage.prefix, or restore Redis from a backup',
  ],
];

/** The storage fault that a failed call means to core. Its text never holds data that was sent. */
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

/** The server does not take writes any more, because another one is the primary now. */
export function isReadOnly(error: unknown): boolean {
  return isReply(error) && /\bREADONLY\b/.test(error.message);
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

export function stillLoading(): StorageError {
  return new StorageError('unavailable', LOADING);
}

/** Why there is no connection, and the remedy if there is one. */
export function unreachable(shown: string, error: unknown, isTls: boolean): StorageError {
  const { message, code } = (error instanceof Error ? error : {}) as { message?: string; code?: string };
  const reason = message || code || 'no answer';
  const advice = ADVICE.find(([pattern]) => pattern.test(`${code} ${reason}`))?.[1];
  const text = typeof advice === 'function' ? advice(isTls) : (advice ?? 'see that it runs and that the URL is right');
  return new StorageError('unavailable', `Redis at ${shown} cannot be reached: ${reason}; ${text}`, { cause: error });
}

const ADVICE: readonly [pattern: RegExp, text: string | ((isTls: boolean) => string)][] = [
  [/ENOTFOUND|EAI_AGAIN/, 'see that the host of the URL is spelt right'],
  [/certificate|altname/i, 'name the file of the authority that signed it in NODE_EXTRA_CA_CERTS'],
  [
    /ECONNRESET|ETIMEDOUT|RESP type|EPROTO|wrong version number|no answer|closed/i,
    (isTls) =>
      isTls
        ? 'see that a Redis listens there, and that it speaks TLS: without, the URL begins with redis://'
        : 'see that a Redis listens there, and whether it speaks TLS: then the URL begins with rediss://',
  ],
];

/** See scripts.ts on `begun` and `ended`. */
export function halfCommit(shown: string): StorageError {
  return new StorageError(
    'corrupt',
    `Redis at ${shown} holds half of a commit: its append-only file was cut within one, and a later start of Redis brought the half back. ` +
      'Nothing was changed. Restore Redis and the key file from a backup, then run: mesh restore --in-place',
  );
}
