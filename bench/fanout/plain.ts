import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { ActivityEvent } from '../../core/aggregator/activity/view.ts';

/** What everybody writes first: every event serialised once, and sent to every socket in a loop. */
export async function plainServer() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    publish(events: readonly ActivityEvent[]): void {
      for (const event of events) {
        const text = JSON.stringify(event);
        for (const client of server.clients) client.send(text);
      }
    },
    close: () => {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
