import { connect } from 'node:net';

/** Sends bytes as they are and returns everything that comes back until the connection ends. */
export function rawExchange(port: number, bytes: string | Buffer, wait = 3_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setTimeout(wait, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
