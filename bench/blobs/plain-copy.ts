import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface PlainCopy {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that writes what it is sent into a file of that folder, on the disk before it answers with the name, and gives it back. */
export async function plainCopy(folder: string): Promise<PlainCopy> {
  const server = createServer((request, response) => {
    const work = request.method === 'POST' ? keep(request) : pipeline(createReadStream(place(request.url!)), response);
    work.then(
      (name) => name !== undefined && response.end(name),
      (error) => response.destroy(error),
    );
  });
  const place = (name: string) => join(folder, name);

  async function keep(content: NodeJS.ReadableStream): Promise<string> {
    const name = randomUUID();
    await pipeline(content, createWriteStream(place(`${name}.part`), { flush: true }));
    await rename(place(`${name}.part`), place(name));
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
    return name;
  }

  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
