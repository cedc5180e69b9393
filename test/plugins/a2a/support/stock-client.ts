import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';

export type Transport = 'JSONRPC' | 'HTTP+JSON';

/** The stock client at an address of an agent; every request carries the token, as its users configure it. */
export async function stockClient(address: string, transport: Transport, token?: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [transport],
  });
  return new ClientFactory(options).createFromUrl(`${address}/`);
}

/** A message of words, as applications write it. */
export function saying(text: string, more: object = {}): any {
  return {
    message: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: '',
      role: 1,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    tenant: '',
    configuration: undefined,
    metadata: undefined,
  };
}
