import assert from 'node:assert/strict';
import { definePlugin, stream, typed } from '../../core/plugin.ts';
import { DocumentSchemas } from '../spec/api-document.ts';
import { startProcess } from '../spec/processes.ts';
import { testNode } from '../support/node.ts';
import { wire } from '../support/wire.ts';

const radio = definePlugin({
  name: 'radio',
  api: '2.0',
  node: {
    guards: {
      listener: { summary: 'A subscriber.', scheme: { type: 'apiKey', in: 'query', name: 'ticket' } },
    },
    routes: {
      listen: stream('/ws/radio/:station', {
        auth: 'listener',
        summary: 'What a station plays.',
        params: { station: typed<string>({ type: 'string', description: 'Its name.', examples: ['jazz'] }) },
        frame: typed<{ song: string }>({
          type: 'object',
          required: ['song'],
          properties: { song: { type: 'string' } },
        }),
      }),
    },
    setup: () => ({ guards: { listener: () => null }, routes: { async *listen() {} } }),
  },
});

async function read(url: string, path: string): Promise<any> {
  const response = await fetch(url + path);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  return response.json();
}

/** What a `$ref` of a document points at. */
function follow(document: any, { $ref }: { $ref: string }): any {
  const steps = $ref.slice(2).split('/');
  const found = steps.reduce((here, step) => here?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  assert.ok(found, `${$ref} leads nowhere`);
  return found;
}

function checkStructure(document: any): void {
  assert.equal(document.asyncapi, '3.0.0');
  assert.ok(document.info.title && document.info.version);
  for (const server of Object.values(document.servers) as any[]) {
    assert.match(server.host, /^[\w.-]+:\d+$/);
    assert.match(server.protocol, /^wss?$/);
  }
  const schemas = new DocumentSchemas(document);
  for (const [id, channel] of Object.entries(document.channels) as [string, any][]) {
    const names = [...channel.address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(Object.keys(channel.parameters ?? {}), names, id);
    assert.ok(Object.keys(channel.messages).length > 0, id);
    for (const message of Object.values(channel.messages) as any[]) {
      for (const { payload } of message.examples ?? []) {
        assert.deepEqual(schemas.problems(message.payload, payload), [], id);
      }
    }
  }
  for (const [id, operation] of Object.entries(document.operations) as [string, any][]) {
    assert.match(operation.action, /^(send|receive)$/, id);
    const messages = Object.values(follow(document, operation.channel).messages);
    for (const message of operation.messages) assert.ok(messages.includes(follow(document, message)), id);
    for (const scheme of operation.security ?? []) assert.ok(follow(document, scheme).type, id);
  }
  for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) follow(document, { $ref: ref! });
}

describe('the AsyncAPI document', () => {
  for (const profile of ['node', 'aggregator'] as const) {
    it(`of the ${profile} profile holds every WebSocket of its OpenAPI document, with its frames`, async () => {
      const { node, stop } = await startProcess(profile);
      try {
        const document = await read(node.url, '/asyncapi.json');
        checkStructure(document);
        const { paths } = await read(node.url, '/openapi.json');
        const sockets = Object.entries(paths).filter(([, { get }]: any) => get?.['x-frame'] ?? get?.['x-socket']);
        const addresses = Object.values(document.channels).map(({ address }: any) => address);
        assert.deepEqual(addresses.sort(), sockets.map(([path]) => path).sort());
        for (const [path, { get }] of sockets as [string, any][]) {
          const channel: any = Object.values(document.channels).find(({ address }: any) => address === path);
          if (get['x-frame']) assert.deepEqual(channel.messages.frame.payload, get['x-frame']);
          const bound = channel.bindings.ws.query;
          const query = bound?.$ref ? follow(document, bound) : bound;
          const named = get.parameters.filter((one: any) => one.in === 'query').map(({ name }: any) => name);
          assert.deepEqual(Object.keys(query?.properties ?? {}), named);
        }
      } finally {
        await stop();
      }
    });
  }

  it('shows both directions, path parameters and guards of plugins', async () => {
    const node = await testNode({ plugins: [radio, wire().plugin] });
    try {
      const document = await read(node.url, '/asyncapi.json');
      checkStructure(document);
      const listen = document.channels['radio.listen'];
      assert.deepEqual(listen.parameters, { station: { description: 'Its name.', examples: ['jazz'] } });
      assert.deepEqual(document.operations['radio.listen.send'].security, [
        { $ref: '#/components/securitySchemes/listener' },
      ]);
      assert.equal(document.components.securitySchemes.listener.type, 'httpApiKey');
      assert.equal(document.operations['radio.listen.receive'], undefined);
      assert.ok(document.operations['wire.echo.receive'] && document.operations['wire.echo.send']);
      assert.equal(document.servers.node.host, new URL(node.url).host);
    } finally {
      await node.stop();
    }
  });
});
