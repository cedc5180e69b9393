import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { WebSocket } from 'ws';
import { createWsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import type { Link } from '../../core/mesh/transport.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { transportContract } from '../../core/testing/transport-contract.ts';
import { MemoryNetwork } from '../support/memory-mesh/memory-network.ts';

transportContract(
  'mesh-memory',
  async () => {
    const network = new MemoryNetwork(systemClock);
    const [dialler, listener] = [network.transport('a'), network.transport('b')];
    network.cut('a', 'silent');
    return {
      dialler,
      listener,
      url: 'memory:b',
      silentUrl: 'memory:silent',
      refusedUrl: 'memory:nobody',
      async close() {
        await dialler.close();
        await listener.close();
      },
    };
  },
  { describe, it },
);

transportContract(
  'mesh-ws',
  async () => {
    const [dialler, listener] = [createWsTransport(), createWsTransport()];
    const url = await listener.listen();
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    return {
      dialler,
      listener,
      url,
      silentUrl: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/mesh`,
      refusedUrl: url.replace('/mesh', '/elsewhere'),
      async close() {
        await dialler.close();
        await listener.close();
        await new Promise((resolve) => silent.close(resolve));
      },
    };
  },
  { describe, it },
);

describe('a WebSocket link', () => {
  async function accept(speak: (socket: WebSocket) => void): Promise<{ messages: number; reason: string }> {
    const transport = createWsTransport();
    const incoming = new Promise<Link>((resolve) => transport.accept(resolve));
    const socket = new WebSocket(await transport.listen());
    socket.on('error', () => {});
    try {
      const link = await incoming;
      await once(socket, 'open');
      let messages = 0;
      const closed = new Promise<string>((resolve) =>
        link.receive({ message: () => void messages++, drain() {}, closed: resolve }),
      );
      speak(socket);
      return { reason: await closed, messages };
    } finally {
      socket.terminate();
      await transport.close();
    }
  }

  it('drops a stranger who sends a message that is too large', async () => {
    const { messages, reason } = await accept((socket) => socket.send(new Uint8Array(200_000)));
    assert.equal(messages, 0);
    assert.match(reason, /payload size/i);
  });

  it('drops a stranger who sends text', async () => {
    const { messages, reason } = await accept((socket) => socket.send('hello'));
    assert.equal(messages, 0);
    assert.equal(reason, 'only binary messages are spoken here');
  });

  it('is refused politely while the node does not accept yet', async () => {
    const transport = createWsTransport();
    const socket = new WebSocket(await transport.listen());
    const [code, reason] = await once(socket, 'close');
    assert.deepEqual([code, String(reason)], [1000, 'not ready']);
    await transport.close();
  });

  it('needs no path in its URL', async () => {
    const [dialler, listener] = [createWsTransport(), createWsTransport()];
    listener.accept(() => {});
    const url = await listener.listen();
    const link = await dialler.dial(url.replace('/mesh', ''), AbortSignal.timeout(5_000));
    assert.equal(link.dialled, true);
    await dialler.close();
    await listener.close();
  });
});
