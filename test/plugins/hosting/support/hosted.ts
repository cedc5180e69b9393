import assert from 'node:assert/strict';
import { happens } from '../../../support/happens.ts';
import { type Watched, watch } from '../../../support/sockets.ts';

/** A node under test: where it is, and the secret of its operator. */
export interface Inn {
  readonly url: string;
  readonly secret: string;
}

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

export async function ask(url: string, line: string, token?: string, body?: unknown, more = {}): Promise<Answer> {
  const [method, path] = line.split(' ') as [string, string];
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/** A client of a hosted agent: all it has is the address of the host and a token. */
export class Guest {
  readonly #inn: () => Inn;
  readonly id: string;
  token: string;

  constructor(inn: () => Inn, id: string, token: string) {
    this.#inn = inn;
    this.id = id;
    this.token = token;
  }

  static async register(inn: () => Inn, body?: object): Promise<Guest> {
    const answer = await ask(inn().url, 'POST /hosted/register', undefined, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return new Guest(inn, answer.body.agent_id, answer.body.token);
  }

  call(line: string, body?: unknown, headers = {}): Promise<Answer> {
    return ask(this.#inn().url, line, this.token, body, headers);
  }

  /** The same, which must be answered with 200. */
  async does(line: string, body?: unknown, headers = {}): Promise<any> {
    const answer = await this.call(line, body, headers);
    assert.equal(answer.status, 200, `${line}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The code of a refusal, with the field at fault. */
  async refused(line: string, body?: unknown): Promise<string> {
    const answer = await this.call(line, body);
    assert.ok(answer.status >= 400, `${line}: ${JSON.stringify(answer.body)}`);
    return [answer.status, answer.body.code, answer.body.fields?.[0]?.pointer].filter(Boolean).join(' ');
  }

  watch(query = ''): Watched {
    return watch(`${this.#inn().url}/ws/hosted/inbox?token=${this.token}${query}`);
  }

  /** The letters in its inbox, when there are so many. */
  letters(count: number): Promise<any[]> {
    return happens(`${count} letters`, async () => {
      const { frames } = await this.does('GET /hosted/inbox?limit=200');
      return frames.length >= count ? frames : undefined;
    });
  }

  dealWhen(conversation: string, state: string): Promise<any> {
    return happens(`the deal is ${state}`, async () => {
      const { status, body } = await this.call(`GET /hosted/deals/${conversation}`);
      return status === 200 && body.state === state ? body : undefined;
    });
  }
}
