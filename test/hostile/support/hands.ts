import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** The attackers' address: another one than the honest callers', on the same machine. */
export const ATTACKER = '127.0.0.2';

/** Does `work` `times` times, at most `hands` at once. */
export async function together(hands: number, times: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const hand = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: hands }, hand));
}

export function garbage(length = 1_024): Buffer {
  return randomBytes(length);
}

/** Opens a connection from the attackers' address; undefined when it was not taken. */
export function dial(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
    socket.on('error', () => {});
  });
}

/** Sends bytes and gives what came back until the server closed. */
export async function say(port: number, bytes: Buffer | string): Promise<string> {
  const socket = await dial(port);
  socket?.write(bytes);
  return socket ? rest(socket) : '';
}

/** What still comes until the other side closes. */
export function rest(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.once('close', () => resolve(text));
    socket.once('end', () => socket.destroy());
  });
}

/** A WebSocket from the attackers' address, or the status with which it was refused. */
export function upgrade(url: string, headers: Record<string, string> = {}): Promise<WebSocket | number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { localAddress: ATTACKER, headers });
    socket.on('error', () => resolve(0));
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    socket.once('open', () => resolve(socket));
  });
}

export function closed(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once('close', (code) => resolve(code)));
}
