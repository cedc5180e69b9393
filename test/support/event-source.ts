import { type ClientRequest, get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';

export interface Received {
  readonly id?: string;
  readonly name?: string;
  readonly data: any;
}

/** One stream of server-sent events as a client reads it. */
export interface Listening {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
  readonly events: Received[];
  comments: number;
  /** Resolves when the stream is over, cut or not. */
  readonly over: Promise<void>;
  until(count: number): Promise<void>;
}

/** Opens a stream of events on a connection of its own; refusals are answers like others. */
export async function listen(url: string, headers: OutgoingHttpHeaders = {}): Promise<Listening> {
  const request = get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  request.on('error', () => {});
  let text = '';
  let wake = () => {};
  const over = new Promise<void>((resolve) => response.once('close', resolve));
  const listening: Listening = {
    ...{ request, response, over },
    events: [],
    comments: 0,
    async until(count) {
      while (this.events.length < count) {
        await new Promise<void>((resolve, reject) => {
          wake = resolve;
          over.then(() => reject(new Error(`the stream ended after ${this.events.length} events`)));
        });
      }
    },
  };
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith(':')) listening.comments += 1;
      else listening.events.push(eventOf(block));
    }
    wake();
  });
  return listening;
}

function eventOf(block: string): Received {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  const { id, event: name, data } = fields;
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }), data: JSON.parse(data ?? 'null') };
}
