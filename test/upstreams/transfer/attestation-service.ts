import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { burnMessage } from './burn-message.ts';

const MESSENGER = 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe';
const BURN = '6ff53e83cc6cdf9b';
const SOLANA = 5;
const FORWARD_HOOK = `${Buffer.from('cctp-forward').toString('hex').padEnd(48, '0')}0000000000000000`;

/** How the next call of a path goes wrong. */
export type Failure =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | 'hang'
  | 'malformed'
  /** The message of a burn that somebody else made. */
  | 'other-burn';

/** How far a burn is. */
export type Progress = 'unseen' | 'pending' | 'complete' | 'forwarding' | 'minted' | 'mint-failed';

interface Seen {
  readonly message: Buffer;
  readonly amount: bigint;
  readonly recipient: string;
  readonly domain: number;
}

/**
 * Stands in for the attestation service (Iris, version 2): fees, messages by transaction, mints that it submits. It reads the burn from a
 * localnet, and refuses one that it could not have minted.
 */
export class AttestationStandIn {
  readonly url: string;
  /** Path and query of every call, oldest first. */
  readonly calls: string[] = [];
  /** What was minted, by burn. */
  readonly mints = new Map<string, { readonly domain: number; readonly recipient: string; readonly amount: bigint }>();
  /** Requests that no client may make. */
  readonly complaints: string[] = [];
  /** How far every burn is from now on. */
  progress: Progress = 'minted';
  delay: string | null = null;
  /** Basis points, by finality. */
  fees: readonly { readonly finalityThreshold: number; readonly minimumFee: number }[] = [
    { finalityThreshold: 1_000, minimumFee: 1.3 },
    { finalityThreshold: 2_000, minimumFee: 0 },
  ];
  forwardFee = { low: 100_000, med: 150_000, high: 200_000 };
  readonly #server: Server;
  readonly #rpcUrl: () => string;
  #connection: Connection | undefined;
  readonly #failures = new Map<string, Failure>();
  readonly #seen = new Map<string, Seen>();

  private constructor(server: Server, rpcUrl: () => string) {
    this.#server = server;
    this.#rpcUrl = rpcUrl;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** The URL of the localnet is asked for at the first burn, since the localnet may not be there before. */
  static async start(rpcUrl: () => string): Promise<AttestationStandIn> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new AttestationStandIn(server, rpcUrl);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next call whose path begins so. */
  failNext(path: string, failure: Failure): void {
    this.#failures.set(path, failure);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    this.calls.push(request.url!);
    const [failed, failure] = [...this.#failures].find(([path]) => pathname.startsWith(path)) ?? [];
    if (failed !== undefined) this.#failures.delete(failed);
    if (failure === 'hang') return;
    if (typeof failure === 'object') {
      response.writeHead(failure.status, { 'content-type': 'application/json', ...failure.headers });
      response.end(failure.body ?? JSON.stringify({ code: failure.status, message: 'as the test wishes' }));
      return;
    }
    if (failure === 'malformed') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"messages": [');
      return;
    }
    try {
      const answer = await this.#answer(pathname, searchParams, failure === 'other-burn');
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { code: 404, message: 'not found' }));
    } catch (error) {
      this.complaints.push(String(error));
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 400, message: String(error) }));
    }
  }

  async #answer(path: string, query: URLSearchParams, other: boolean): Promise<unknown> {
    const fees = /^\/v2\/burn\/USDC\/fees\/(\d+)\/(\d+)$/.exec(path);
    if (fees) {
      if (Number(fees[1]) !== SOLANA) throw new Error(`fees from domain ${fees[1]}`);
      const forward = query.get('forward') === 'true' ? { forwardFee: this.forwardFee } : {};
      return this.fees.map((fee) => ({ ...fee, ...forward }));
    }
    const messages = /^\/v2\/messages\/(\d+)$/.exec(path);
    const hash = query.get('transactionHash');
    if (!messages || !hash || Number(messages[1]) !== SOLANA) throw new Error(`a call of ${path}?${query}`);
    if (this.progress === 'unseen') return undefined;
    const seen = this.#seen.get(hash) ?? (await this.#read(hash));
    if (!seen) return undefined;
    this.#seen.set(hash, seen);
    return { messages: [this.#shown(hash, seen, other)] };
  }

  #shown(hash: string, seen: Seen, other: boolean): object {
    const complete = this.progress !== 'pending';
    const message = Buffer.from(seen.message);
    if (other) message.fill(7, 148 + 36, 148 + 68);
    const states = { minted: 'COMPLETE', forwarding: 'PENDING', 'mint-failed': 'FAILED' } as Record<string, string>;
    const forwardState = states[this.progress];
    if (this.progress === 'minted') this.mints.set(hash, seen);
    return {
      message: complete ? `0x${message.toString('hex')}` : '0x',
      eventNonce: complete ? `0x${message.toString('hex', 12, 44)}` : null,
      attestation: complete ? `0x${'5a'.repeat(130)}` : 'PENDING',
      decodedMessage: null,
      cctpVersion: 2,
      status: complete ? 'complete' : 'pending_confirmations',
      delayReason: this.delay,
      ...(forwardState && { forwardState }),
      ...(this.progress === 'minted' && { forwardTxHash: mintHash(hash) }),
    };
  }

  /** The burn in a finalised transaction, as the service reads it; undefined while there is none. */
  async #read(hash: string): Promise<Seen | undefined> {
    if (bs58.decode(hash).length !== 64) throw new Error(`${hash} is no transaction of Solana`);
    this.#connection ??= new Connection(this.#rpcUrl(), 'finalized');
    const found = await this.#connection.getTransaction(hash, {
      commitment: 'finalized',
      maxSupportedTransactionVersion: 0,
    });
    if (!found?.meta || found.meta.err) return undefined;
    const { message } = found.transaction;
    const keys = message.getAccountKeys();
    const burn = message.compiledInstructions.find((one) => keys.get(one.programIdIndex)!.toBase58() === MESSENGER);
    if (!burn) throw new Error('the transaction burns nothing');
    const data = Buffer.from(burn.data);
    const at = (index: number) => keys.get(burn.accountKeyIndexes[index]!)!;
    if (data.toString('hex', 0, 8) !== BURN) throw new Error('another instruction');
    const amount = data.readBigUInt64LE(8);
    const domain = data.readUInt32LE(16);
    const recipient = data.subarray(20, 52);
    const maxFee = data.readBigUInt64LE(84);
    const finality = data.readUInt32LE(92);
    const hook = data.subarray(100);
    if (!isZero(recipient.subarray(0, 12)) || isZero(recipient)) throw new Error('no EVM recipient');
    if (!isZero(data.subarray(52, 84))) throw new Error('somebody else must submit the mint');
    if (hook.length !== data.readUInt32LE(96) || hook.toString('hex') !== FORWARD_HOOK) throw new Error('another hook');
    if (![1_000, 2_000].includes(finality)) throw new Error(`finality ${finality}`);
    if (maxFee >= amount) throw new Error('the fee is not less than the amount');
    const [remote] = PublicKey.findProgramAddressSync(
      [Buffer.from('remote_token_messenger'), Buffer.from(String(domain))],
      new PublicKey(MESSENGER),
    );
    if (!remote.equals(at(7))) throw new Error('the account of another domain');
    if (burntOf(found.meta, at(10).toBase58()) !== amount) throw new Error('another amount was burnt');
    const fee = this.fees.find(({ finalityThreshold }) => finalityThreshold === finality)!;
    const taken = BigInt(Math.ceil((Number(amount) * fee.minimumFee) / 10_000)) + BigInt(this.forwardFee.med);
    if (taken > maxFee) throw new Error('insufficient_fee');
    const built = burnMessage(hash, data, at(10).toBuffer(), at(0).toBuffer(), taken);
    return { message: built, amount: amount - taken, recipient: `0x${recipient.toString('hex', 12)}`, domain };
  }
}

/** The transaction in which the stand-in mints what a burn burnt. */
export function mintHash(burn: string): string {
  return `0x${createHash('sha256').update(`mint ${burn}`).digest('hex')}`;
}

type Meta = NonNullable<NonNullable<Awaited<ReturnType<Connection['getTransaction']>>>['meta']>;

function burntOf({ preTokenBalances, postTokenBalances }: Meta, mint: string): bigint {
  const sum = (list: Meta['preTokenBalances']) =>
    (list ?? []).filter((one) => one.mint === mint).reduce((all, one) => all + BigInt(one.uiTokenAmount.amount), 0n);
  return sum(preTokenBalances) - sum(postTokenBalances);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
