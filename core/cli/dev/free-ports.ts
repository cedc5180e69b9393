import { createServer } from 'node:net';
import { UsageError } from '../command.ts';

const HOST = '127.0.0.1';
/** How far a busy default moves up before it is given up. */
const REACH = 200;

/** Ports somebody needs: `count` neighbours, exactly those from `asked`, or the first free ones from `standard` up. */
export interface PortWish {
  readonly flag: string;
  readonly asked: number | undefined;
  readonly standard: number;
  readonly count: number;
}

/** Grants every wish a first port. Those who ask for one come first, so that no default takes it from them. */
export async function freePorts<Name extends string>(
  wishes: Readonly<Record<Name, PortWish>>,
): Promise<Record<Name, number>> {
  const taken = new Set<number>();
  const granted: Partial<Record<Name, number>> = {};
  const names = (Object.keys(wishes) as Name[]).sort((a, b) => order(wishes[a]) - order(wishes[b]));
  for (const name of names) {
    const wish = wishes[name];
    const first = wish.asked === undefined ? await search(wish, taken) : await insist(wish, wish.asked, taken);
    for (const port of neighbours(first, wish.count)) taken.add(port);
    granted[name] = first;
  }
  return granted as Record<Name, number>;
}

function order({ asked }: PortWish): number {
  return asked === undefined ? 1 : 0;
}

async function insist({ flag, count }: PortWish, asked: number, taken: ReadonlySet<number>): Promise<number> {
  for (const port of neighbours(asked, count)) {
    if (taken.has(port)) throw new UsageError(`${flag} ${asked}: port ${port} is asked for twice.`);
    if (!(await isFree(port)))
      throw new UsageError(`${flag} ${asked}: port ${port} is busy. Choose another, or leave out ${flag}.`);
  }
  return asked;
}

async function search({ flag, standard, count }: PortWish, taken: ReadonlySet<number>): Promise<number> {
  for (let first = standard; first < standard + REACH; first++) {
    const free = await Promise.all(
      neighbours(first, count).map(async (port) => !taken.has(port) && (await isFree(port))),
    );
    if (free.every(Boolean)) return first;
  }
  throw new UsageError(`No port from ${standard} to ${standard + REACH} is free. Choose one with ${flag}.`);
}

function neighbours(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, offset) => first + offset);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
