import type { Problem } from '../../schemas/types.ts';
import { visible } from '../platform/visible-text.ts';
import { readAtMost } from './read-at-most.ts';

/** Bytes of a problem document. */
const MOST_PROBLEM = 64 * 1024;
/** Seconds, whatever the other side said: a program that waits for so long as it is told comes back within a day. */
const LONGEST_WAIT = 86_400;
/** Characters of a stranger's sentence. */
const MOST_WORDS = 2_000;
const REDIRECTS = [301, 302, 303, 307, 308];

type Field = NonNullable<Problem['fields']>[number];

interface Answered {
  readonly status: number;
  readonly code: string;
  readonly fields?: readonly Field[];
  readonly retryAfter?: number;
  readonly url?: string;
  readonly key?: string;
  readonly cause?: unknown;
}

/**
 * A call that the other side refused, or that never got an answer. `status` and `code` are those of its problem
 * document. Without a whole answer the status is 0 and the code `unreachable`, or `aborted` when the caller ended it; a
 * call that nothing was sent of has `not_signed`. An answer of another kind than the operation's has `invalid_answer`, one
 * that sends the caller elsewhere `redirected`. A stream that the other side closed for good has 0 and `stream_refused`.
 */
export class ClientError extends Error {
  override name = 'ClientError';
  readonly status: number;
  readonly code: string;
  readonly fields: Field[];
  /** Seconds after which a retry makes sense, when the other side said so; at most a day. */
  readonly retryAfter: number | undefined;
  /** Where nobody answered; only of `unreachable` and `aborted`. */
  readonly url: string | undefined;
  /** The idempotency key that was sent: repeat the call with it when nobody knows whether it was done. */
  readonly key: string | undefined;

  constructor(message: string, answer: Answered) {
    super(message, answer.cause === undefined ? undefined : { cause: answer.cause });
    this.status = answer.status;
    this.code = answer.code;
    this.fields = [...(answer.fields ?? [])];
    this.retryAfter = answer.retryAfter;
    this.url = answer.url;
    this.key = answer.key;
  }

  /** The message without the call in front of it, for people who made none. */
  get reason(): string {
    return this.message.replace(/^[A-Z]+ \/\S*: /, '');
  }
}

/** The error of an answer whose status is not 2xx, whatever its body is. */
export async function refusal(call: string, response: Response, key?: string): Promise<ClientError> {
  const { status, type } = response;
  // A browser shows nothing of a redirect that it does not follow.
  if (type === 'opaqueredirect' || REDIRECTS.includes(status)) {
    await response.body?.cancel();
    const [place = ''] = (response.headers.get('location') ?? '').split(/[?#]/);
    const to = visible(place.slice(0, MOST_WORDS));
    const where = to === '' ? 'elsewhere' : `to ${to}`;
    const message = `${call}: the server sends callers ${where}, and the client follows nowhere; give it the address behind that`;
    return new ClientError(message, { status, code: 'redirected', ...(key !== undefined && { key }) });
  }
  const { code, detail, title, fields } = await problemOf(response);
  const retryAfter = response.headers.get('retry-after') ?? '';
  const said = [detail, title, response.statusText].find((one) => typeof one === 'string' && one !== '') as string;
  return new ClientError(`${call}: ${visible((said ?? `HTTP status ${status}`).slice(0, MOST_WORDS))}`, {
    status,
    code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : `http_${status}`,
    fields: Array.isArray(fields) ? fields.filter(isField) : [],
    ...(/^\d{1,9}$/.test(retryAfter) && { retryAfter: Math.min(Number(retryAfter), LONGEST_WAIT) }),
    ...(key !== undefined && { key }),
  });
}

/** A stranger's document: any member may be anything. */
async function problemOf(response: Response): Promise<Partial<Record<keyof Problem, unknown>>> {
  try {
    const text = new TextDecoder().decode(await readAtMost(response, MOST_PROBLEM));
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

function isField(one: unknown): one is Field {
  const { pointer, message } = Object(one) as Record<string, unknown>;
  return typeof pointer === 'string' && typeof message === 'string';
}
