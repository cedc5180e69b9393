import { Socket } from 'node:net';

/** Connections that were tried while the watch was on, all of them refused: `api.example.org:443`, or a path. */
export interface NetworkWatch {
  readonly tried: readonly string[];
  stop(): void;
}

type Connect = typeof Socket.prototype.connect;

/** Refuses every outgoing connection of this process, except to the ports given, until it is stopped. */
export function watchNetwork(allowed: readonly number[] = []): NetworkWatch {
  const tried: string[] = [];
  const original: Connect = Socket.prototype.connect;
  const watched = function (this: Socket, ...args: unknown[]): Socket {
    const { port, target } = targetOf(args);
    if (port !== undefined && allowed.includes(port)) return Reflect.apply(original, this, args) as Socket;
    tried.push(target);
    return this.destroy(new Error(`no connection is made to ${target} in this test`));
  };
  Socket.prototype.connect = watched as Connect;
  return {
    tried,
    stop() {
      if (Socket.prototype.connect === watched) Socket.prototype.connect = original;
    },
  };
}

/** `connect` takes options, a port and host, or a path; `net.connect` hands them over as one array. */
function targetOf(args: unknown[]): { port?: number; target: string } {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  const given = typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : undefined;
  const path = given?.['path'] ?? (typeof first === 'string' && Number.isNaN(Number(first)) ? first : undefined);
  if (path !== undefined && path !== null && given?.['port'] === undefined) return { target: String(path) };
  const port = Number(given?.['port'] ?? first);
  const host = given?.['host'] ?? (typeof second === 'string' ? second : 'localhost');
  return { port, target: `${host}:${port}` };
}
