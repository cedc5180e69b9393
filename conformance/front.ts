import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Front {
  readonly url: string;
  stop(): Promise<void>;
}

/** A reverse proxy on a free port that names another caller with every call. */
export async function openFront(port: number): Promise<Front> {
  let calls = 0;
  const server = createServer((asked, answer) => {
    calls += 1;
    const { method, url: path } = asked;
    const headers = {
      ...asked.headers,
      'x-forwarded-for': `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`,
    };
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.on('upgrade', (_reply, socket) => {
      socket.destroy();
      answer.destroy();
    });
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
