import { createServer } from 'node:net';
import { UsageError } from './options.ts';

const HOST = '127.0.0.1';
/** How far a busy default moves up before it is given up. */
const REACH = 200;

/**
 * The first of `count` neighbouring free ports: exactly the one asked for, or from the default upwards. `taken` are
 * ports promised to other parts of the mesh.
 */
export async function freePorts(
  flag: string,
  asked: number | undefined,
  standard: number,
  count: number,
  taken: Set<number>,
): Promise<number> {
  if (asked !== undefined) {
    for (let port = asked; port < asked + count; port++) {
      if (taken.has(port) || !(await isFree(port))) {
        throw new UsageError(`Port ${port} is busy. Choose another with ${flag}, or leave it out to have one found.`);
      }
      taken.add(port);
    }
    return asked;
  }
  for (let first = standard; first < standard + REACH; first++) {
    const ports = Array.from({ length: count }, (_, offset) => first + offset);
    const free = await Promise.all(ports.map(async (port) => !taken.has(port) && (await isFree(port))));
    if (!free.every(Boolean)) continue;
    for (const port of ports) taken.add(port);
    return first;
  }
  throw new UsageError(`No free port from ${standard} to ${standard + REACH}. Choose one with ${flag}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
