import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** The longest socket name that every system takes; a longer one would be cut without a word. */
const MAX_PATH = 100;

/**
 * Listens at a name in the store's directory for as long as this process has the store. The kernel ends it with the
 * process, and whoever sees the directory can ask, also from a container that cannot see the process. Undefined where
 * the directory takes no sockets.
 */
export async function listenAt(path: string): Promise<Server | undefined> {
  if (!canListen(path)) return undefined;
  const server = createServer((socket) => socket.destroy());
  try {
    await once(server.listen(path), 'listening');
  } catch {
    return undefined;
  }
  return server.on('error', () => {}).unref();
}

/** Whether a socket of this name can be listened at, as far as its name tells. */
export function canListen(path: string): boolean {
  return process.platform !== 'win32' && Buffer.byteLength(path) <= MAX_PATH;
}

/** Stops listening; the name goes with it. */
export async function stopListening(server: Server, path: string): Promise<void> {
  server.close();
  await rm(path, { force: true });
}

/** Whether somebody listens there. */
export async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ECONNREFUSED' && code !== 'ENOENT';
  } finally {
    socket.destroy();
  }
}
