import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An A2A server of others: it checks what it gets, and keeps tasks. */
export class Elsewhere {
  readonly #server: Server;
  readonly #tasks = new Map<string, any>();
  readonly tokens: (string | undefined)[] = [];
  card: unknown = {};
  malformed = '';
  /** The answer to a question after a task, in place of the task. */
  told: unknown;
  /** The ids of the messages that came, in order. */
  readonly messageIds: string[] = [];
  messages = 0;
  questions = 0;
  /** Messages are answered once it is kept. */
  held: Promise<void> | undefined;
  requests = 0;
  /** Where requests of the card are sent on. */
  redirect = '';
  /** The key set that it publishes, and where requests of it are sent on. */
  keys: readonly unknown[] = [{ kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: 'no' }];
  keysElsewhere = '';

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<Elsewhere> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return new Elsewhere(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  cardOf(protocolBinding: 'JSONRPC' | 'HTTP+JSON'): any {
    const old = { url: `${this.url}/old`, protocolBinding, protocolVersion: '0.3' };
    return {
      name: 'Elsewhere',
      supportedInterfaces: [old, { url: `${this.url}/a2a`, protocolBinding, protocolVersion: '1.0' }],
    };
  }

  /** The same signatures, with a key set that this host seems to publish. */
  signed(card: any): any {
    const signatures = card.signatures.map((one: any) => {
      const header = JSON.parse(Buffer.from(one.protected, 'base64url').toString());
      const moved = JSON.stringify({ ...header, jku: `${this.url}/keys.json` });
      return { ...one, protected: Buffer.from(moved).toString('base64url') };
    });
    return { ...card, signatures };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.url);
    const send = (value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    this.requests += 1;
    if (pathname === '/.well-known/agent-card.json' && this.redirect !== '') {
      response.writeHead(302, { location: this.redirect }).end();
      return;
    }
    if (pathname === '/.well-known/agent-card.json') return send(this.card);
    if (pathname === '/keys.json' && this.keysElsewhere !== '') {
      response.writeHead(302, { location: this.keysElsewhere }).end();
      return;
    }
    if (pathname === '/keys.json') return send({ keys: this.keys });
    this.tokens.push(request.headers.authorization);
    assert.equal(request.headers['a2a-version'], '1.0');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? {} : JSON.parse(text);
    const isRpc = pathname === '/a2a';
    const [method, params] = isRpc
      ? [body.method, body.params]
      : pathname === '/a2a/message:send'
        ? ['SendMessage', body]
        : [request.method === 'GET' ? 'GetTask' : 'CancelTask', { id: /tasks\/([^:]+)/.exec(pathname)![1] }];
    const wrap = (result: unknown) => send(isRpc ? { jsonrpc: '2.0', id: body.id, result } : result);
    if (method !== 'SendMessage') {
      this.questions += 1;
      if (this.told !== undefined && method === 'GetTask') return wrap(this.told);
      const task = this.#tasks.get(params.id);
      if (method === 'CancelTask') task.status = { state: 'TASK_STATE_CANCELED' };
      return wrap(task);
    }
    this.messages += 1;
    const { message } = params;
    assert.deepEqual([message.role, typeof message.messageId], ['ROLE_USER', 'string']);
    this.messageIds.push(message.messageId);
    const words = message.parts[0].text;
    await this.held;
    if (words === 'hang') return;
    if (words === 'cut') return void request.socket.destroy();
    if (words === 'malformed') return send(this.malformed);
    if (words === 'direct')
      return wrap({ message: { messageId: '1', role: 'ROLE_AGENT', parts: [{ text: 'At once.' }] } });
    if (message.taskId) {
      if (words === 'chat')
        return wrap({ message: { messageId: '2', role: 'ROLE_AGENT', parts: [{ text: 'Still at it.' }] } });
      const task = this.#tasks.get(message.taskId);
      task.status = { state: 'TASK_STATE_COMPLETED' };
      task.artifacts = [{ artifactId: 'a', parts: [{ text: `You chose: ${words}` }] }];
      return wrap({ task });
    }
    const id = words === 'torn' ? 'torn \ud800' : `task-${this.messages}`;
    const status =
      words === 'ask'
        ? { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which one?' }] } }
        : { state: 'TASK_STATE_WORKING' };
    const task = { id, contextId: 'c', status };
    this.#tasks.set(id, task);
    return wrap({ task });
  }
}
