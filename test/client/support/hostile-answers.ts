import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answer, flood } from './hostile-server.ts';

type Outcome = readonly [status: number, code: string];

/** An answer that no node gives, and how a call ends that gets it. */
export interface HostileAnswer {
  readonly what: string;
  readonly says: Buffer | ((socket: Socket) => void);
  readonly ends: Outcome;
  /** Where Python's library reads the same bytes in another way. */
  readonly inPython?: Outcome;
  /** It ends at the deadline of the call. */
  readonly isSlow?: true;
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const GZIP = 'Content-Encoding: gzip\r\n';
const HEAD = 'HTTP/1.1 200 OK\r\n';
const DEAD: Outcome = [0, 'unreachable'];
const NONE: Outcome = [200, 'invalid_answer'];
const bomb = () => gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20), { level: 9 });

export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  { what: 'a list', says: answer('[]'), ends: NONE },
  { what: 'null', says: answer('null'), ends: NONE },
  { what: 'a text', says: answer('"text"'), ends: NONE },
  { what: 'a number', says: answer('7'), ends: NONE },
  { what: 'nothing', says: answer(''), ends: NONE },
  { what: 'broken JSON', says: answer('{"a":'), ends: NONE },
  { what: 'JSON with something behind it', says: answer('{} {}'), ends: NONE },
  { what: 'brackets without end', says: answer('['.repeat(300_000)), ends: NONE },
  { what: 'no number', says: answer('{"a":NaN}'), ends: NONE },
  { what: 'a NUL', says: answer('\0{}'), ends: NONE },
  { what: 'what is no UTF-8', says: answer(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), ends: NONE },
  { what: 'a text that is no UTF-8', says: answer(Buffer.from('{"a":"\xff\xc0\x80"}', 'latin1')), ends: NONE },
  { what: 'half a character', says: answer(Buffer.from('{"a":"\xe2\x82"}', 'latin1')), ends: NONE },
  { what: 'a page', says: answer('<!doctype html><p>Hello', 'Content-Type: text/html\r\n'), ends: NONE },
  { what: 'a page that says it is JSON', says: answer('<p>', 'Content-Type: application/json\r\n'), ends: NONE },
  { what: '204 with a body', says: answer('{"a":1}', '', '204 No Content'), ends: [204, 'invalid_answer'] },
  { what: '205 with a body', says: answer('null', '', '205 Reset'), ends: [205, 'invalid_answer'] },
  { what: 'a status of 600', says: answer('{}', '', '600 Odd'), ends: [600, 'http_600'] },
  { what: 'a status of 999', says: answer('[[', '', '999'), ends: [999, 'http_999'] },
  { what: 'a status without words', says: answer('{"detail":""}', '', '500 '), ends: [500, 'http_500'] },
  { what: 'a status of two digits', says: answer('{}', '', '20 OK'), ends: DEAD },
  { what: 'a status that is no number', says: answer('{}', '', 'OK'), ends: DEAD },
  { what: 'nothing new', says: answer('', '', '304 Not Modified'), ends: [304, 'http_304'] },
  { what: 'no bytes at all', says: Buffer.alloc(0), ends: DEAD },
  { what: 'a head that is cut', says: Buffer.from(`${HEAD}Content-`), ends: DEAD, inPython: NONE },
  { what: 'a body that is cut', says: answer('{"a":1', 'Content-Length: 100\r\n'), ends: DEAD },
  { what: 'another protocol', says: Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), ends: DEAD },
  { what: 'a later HTTP', says: Buffer.from('HTTP/2.0 200 OK\r\n\r\n{}'), ends: [200, 'answered'], inPython: DEAD },
  {
    what: 'a protocol that nobody asked for',
    says: answer('', 'Upgrade: x\r\nConnection: Upgrade\r\n', '101 Switch'),
    ends: DEAD,
    inPython: [101, 'http_101'],
  },
  { what: 'a chunk of no size', says: answer('zz\r\n{}\r\n', CHUNKED), ends: DEAD },
  { what: 'a chunk of more than there is', says: answer('ffffffff\r\n{}\r\n', CHUNKED), ends: DEAD },
  { what: 'a chunk without its end', says: answer('2\r\n{}0\r\n\r\n', CHUNKED), ends: DEAD },
  { what: 'chunks without the last', says: answer('2\r\n{}\r\n', CHUNKED), ends: DEAD },
  {
    what: 'a chunk of less than nothing, without end',
    says: (socket) => flood(socket, answer('-1\r\n', CHUNKED), ' '),
    ends: DEAD,
  },
  {
    what: 'a chunk whose size has no end',
    says: (socket) => flood(socket, answer('', CHUNKED), '0'),
    ends: DEAD,
    isSlow: true,
  },
  {
    what: 'trailers without end',
    says: (socket) => flood(socket, answer('2\r\n{}\r\n0\r\n', CHUNKED), 'X: y\r\n'),
    ends: DEAD,
  },
  {
    what: 'two lengths',
    says: answer('{"a":1}', 'Content-Length: 7\r\nContent-Length: 2\r\n'),
    ends: DEAD,
    inPython: [200, 'answered'],
  },
  { what: 'a length below zero', says: answer('{"a":', 'Content-Length: -5\r\n'), ends: DEAD, inPython: NONE },
  { what: 'a length beyond all', says: answer('{}', `Content-Length: ${'9'.repeat(30)}\r\n`), ends: DEAD },
  { what: 'a length that is none', says: answer('{"a":', 'Content-Length: many\r\n'), ends: DEAD, inPython: NONE },
  { what: 'bytes that are not packed', says: answer('{}', GZIP), ends: DEAD },
  {
    what: 'a packed answer that is cut',
    says: answer(gzipSync('{"a":1}').subarray(0, 14), GZIP),
    ends: NONE,
    inPython: DEAD,
  },
  { what: 'a packed answer of 64 MiB', says: (socket) => void socket.end(answer(bomb(), GZIP)), ends: DEAD },
  {
    what: 'a refusal of 64 MiB',
    says: (socket) => void socket.end(answer(bomb(), GZIP, '400 No')),
    ends: [400, 'http_400'],
  },
  { what: 'a head of many lines', says: Buffer.from(`${HEAD}${'X: y\r\n'.repeat(5_000)}`), ends: DEAD },
  { what: 'a head of lines without end', says: (socket) => flood(socket, HEAD, 'X: y\r\n'), ends: DEAD },
  { what: 'a line without end', says: (socket) => flood(socket, `${HEAD}X: `, 'y'), ends: DEAD },
  {
    what: 'provisional answers without end',
    says: (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
    ends: DEAD,
  },
  { what: 'as many bytes as it likes', says: (socket) => flood(socket, `${HEAD}\r\n[`, ' '), ends: DEAD },
  {
    what: 'a refusal of as many bytes as it likes',
    says: (socket) => flood(socket, 'HTTP/1.1 403 No\r\n\r\n', 'n'),
    ends: [403, 'http_403'],
  },
  {
    what: 'a redirect of as many bytes as it likes',
    says: (socket) => flood(socket, 'HTTP/1.1 302 No\r\nLocation: /x\r\n\r\n', 'n'),
    ends: [302, 'redirected'],
  },
  { what: 'never a byte', says: () => {}, ends: DEAD, isSlow: true },
  { what: 'never the rest of its head', says: (socket) => void socket.write(HEAD), ends: DEAD, isSlow: true },
  {
    what: 'never the rest of its body',
    says: (socket) => void socket.write(answer('{', 'Content-Length: 9\r\n')),
    ends: DEAD,
    isSlow: true,
  },
  {
    what: 'never the rest of its refusal',
    says: (socket) => void socket.write(answer('{', 'Content-Length: 9\r\n', '403 No')),
    ends: [403, 'http_403'],
    isSlow: true,
  },
];
