import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const ATTEMPTS = 64;

/**
 * Listens on a port and the one after it, where Solana clients expect the WebSocket. With port 0 a free pair is
 * looked for; a given port is taken as it is, or refused.
 */
export async function listenOnPair(servers: readonly [Server, Server], port: number, host: string): Promise<number> {
  const [http, webSocket] = servers;
  for (let attempt = 1; ; attempt++) {
    await listen(http, port, host);
    const chosen = (http.address() as AddressInfo).port;
    try {
      await listen(webSocket, chosen + 1, host);
      return chosen;
    } catch (error) {
      await new Promise((closed) => http.close(closed));
      if (port !== 0 || attempt === ATTEMPTS) throw error;
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((listening, failed) => {
    if (port > 65_535) return failed(new Error(`The localnet needs two ports, and there is no port ${port}.`));
    function onError(error: NodeJS.ErrnoException) {
      const taken = `Port ${port} on ${host} is in use; the localnet needs a port and the one after it.`;
      failed(error.code === 'EADDRINUSE' ? new Error(taken, { cause: error }) : error);
    }
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      listening();
    });
  });
}
