/**
 * Many WebSockets that count what they get: `clients <port> <path> <count>`. They are bare connections, so that the
 * server's work is what a bench sees. Says `open` when all are upgraded; asked `{ until }`, answers when so many bytes
 * have come after the upgrades.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const [port, path, count] = process.argv.slice(2);
let received = 0;
let target = Number.POSITIVE_INFINITY;

function took(bytes: number): void {
  received += bytes;
  if (received < target) return;
  target = Number.POSITIVE_INFINITY;
  process.send!('reached');
}

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}${END_OF_HEAD}`,
    );
    socket.once('error', reject);
    socket.once('data', (head) => {
      const end = head.indexOf(END_OF_HEAD);
      if (!head.toString('latin1').startsWith('HTTP/1.1 101') || end < 0) return reject(new Error('not upgraded'));
      took(head.length - end - END_OF_HEAD.length);
      socket.on('data', (bytes) => took(bytes.length));
      resolve();
    });
  });
}

process.on('message', ({ until }: { until: number }) => {
  target = until;
  took(0);
});
process.once('disconnect', () => process.exit());
for (let opened = 0; opened < Number(count); opened += 1) await open();
process.send!('open');
