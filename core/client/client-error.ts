import type { Problem } from '../../schemas/types.ts';
import { visible } from '../platform/visible-text.ts';
import { readAtMost } from './read-at-most.ts';

/** Bytes of a problem document. */
const MOST_PROBLEM = 64 * 1024;

/**
 * A call that the other side refused, or that never got an answer. `status` and `code` are those of its problem
 * document; without a whole answer they are 0 and `unreachable`, and an answer that is not JSON has `invalid_answer`. A
 * stream that the other side closed for good has 0 and `stream_refused`.
 */
export class ClientError extends Error {
  override name = 'ClientError';
  readonly status: number;
  readonly code: string;
  readonly fields: NonNullable<Problem['fields']>;
  /** Seconds after which a retry makes sense, when the other side said so. */
  readonly retryAfter: number | undefined;
  /** Where nobody answered; only of `unreachable`. */
  readonly url: string | undefined;

  constructor(
    message: string,
    answer: { status: number; code: string; fields?: Problem['fields']; retryAfter?: number; url?: string },
  ) {
    super(message);
    this.status = answer.status;
    this.code = answer.code;
    this.fields = answer.fields ?? [];
    this.retryAfter = answer.retryAfter;
    this.url = answer.url;
  }

  /** The message without the call in front of it, for people who made none. */
  get reason(): string {
    return this.message.replace(/^[A-Z]+ \/\S*: /, '');
  }
}

/** The error of an answer whose status is not 2xx, whatever its body is. */
export async function refusal(call: string, response: Response): Promise<ClientError> {
  const problem = await problemOf(response);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const said = visible(String(problem.detail ?? problem.title ?? response.statusText));
  return new ClientError(`${call}: ${said}`, {
    status: response.status,
    code: problem.code ?? `http_${response.status}`,
    ...(problem.fields && { fields: problem.fields }),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  });
}

async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    const text = new TextDecoder().decode(await readAtMost(response, MOST_PROBLEM));
    const body = JSON.parse(text) as Partial<Problem> | null;
    return body ?? {};
  } catch {
    return {};
  }
}
