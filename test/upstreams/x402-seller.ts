import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Connection, Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { associatedTokenAddress, MEMO_PROGRAM, TOKEN_PROGRAM } from '../../adapters/ledger-solana/instructions.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const TRANSFER_CHECKED = 12;
const USDC_DECIMALS = 6;

/** How the seller behaves. */
export interface Manner {
  /** Of its offers; `both` sends the header of version 2 and the body of version 1. */
  version: 1 | 2;
  /** Minor units. */
  price: string;
  /** In place of what an honest offer says. */
  offer: Record<string, unknown>;
  extra: Record<string, unknown>;
  /**
   * At a payment: `serve` it, ask `again` for one without taking it, take it and `fail` (502) or be `busy` (503), answer 500 to `refuse` it, never
   * answer (`hang`), take it and never answer (`vanish`), take it and name another transaction (`lie`), ask for more (`dearer`).
   */
  paid: 'serve' | 'busy' | 'again' | 'fail' | 'refuse' | 'hang' | 'vanish' | 'lie' | 'dearer';
  /** Milliseconds before each answer. */
  delay: number;
}

const HONEST: Manner = { version: 2, price: '10000', offer: {}, extra: {}, paid: 'serve', delay: 0 };

/**
 * A seller that speaks x402 with the scheme exact on Solana, and is its own facilitator: it checks each payment as the
 * specification asks, signs as payer of the fee, and has the ledger take it.
 */
export class X402Seller {
  readonly feePayer = Keypair.generate();
  readonly payTo = Keypair.generate().publicKey.toBase58();
  readonly #server: Server;
  readonly #connection: Connection;
  readonly #network: string;
  readonly #mint: string;
  manner: Manner = { ...HONEST };
  /** Problems of payments that it got; empty for a good client. */
  readonly problems: string[] = [];
  /** The payments that it got, as their header had them. */
  readonly got: string[] = [];
  /** The signatures of the transactions that it had taken. */
  readonly settled: string[] = [];
  /** The transactions of payments that were settled, by their header, and which of these were served. */
  readonly #taken = new Map<string, string>();
  readonly #served = new Set<string>();
  calls = 0;

  private constructor(connection: Connection, network: string, mint: string) {
    this.#connection = connection;
    this.#network = network;
    this.#mint = mint;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch((error: unknown) => {
        this.problems.push(String(error));
        response.destroy();
      });
    });
  }

  /** `network` is the CAIP-2 name of the cluster. */
  static async start(connection: Connection, network: string, mint: string): Promise<X402Seller> {
    const seller = new X402Seller(connection, network, mint);
    await new Promise<void>((listening) => seller.#server.listen(0, '127.0.0.1', listening));
    return seller;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/weather?city=Bern`;
  }

  behave(manner: Partial<Manner> = {}): void {
    this.manner = { ...HONEST, ...manner };
  }

  /** The offer of its manner. */
  offer(): Record<string, any> {
    const { version, price, offer, extra } = this.manner;
    const common = { scheme: 'exact', asset: this.#mint, payTo: this.payTo, maxTimeoutSeconds: 60 };
    const more = { feePayer: this.feePayer.publicKey.toBase58(), ...extra };
    const resource = { url: this.url, description: 'the weather', mimeType: 'application/json' };
    if (version === 2) {
      const accepted = { ...common, network: this.#network, amount: price, extra: more, ...offer };
      return { x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', resource, accepts: [accepted] };
    }
    const flat = { resource: this.url, description: 'the weather', mimeType: 'application/json' };
    const accepted = {
      ...common,
      network: 'solana-localnet',
      maxAmountRequired: price,
      ...flat,
      extra: more,
      ...offer,
    };
    return { x402Version: 1, error: 'X-PAYMENT header is required', accepts: [accepted] };
  }

  /** Settles a payment that it was given, as late as it likes. */
  settle(header: string): Promise<string> {
    return this.#settle(JSON.parse(Buffer.from(header, 'base64').toString('utf8')));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.calls += 1;
    request.resume();
    const { paid, delay, version } = this.manner;
    if (delay > 0) await new Promise((done) => setTimeout(done, delay));
    const header = request.headers[version === 2 ? 'payment-signature' : 'x-payment'] as string | undefined;
    if (header === undefined || paid === 'again') {
      if (header !== undefined) this.got.push(header);
      return this.#ask(response);
    }
    this.got.push(header);
    if (paid === 'hang') return;
    if (paid === 'refuse') return send(response, 500, { error: 'out of order' });
    if (paid === 'dearer') {
      this.manner = { ...this.manner, price: `${BigInt(this.manner.price) * 2n}` };
      return this.#ask(response);
    }
    const payment = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    if (this.#served.has(header)) return send(response, 409, { error: 'this payment was used' });
    const signature = this.#taken.get(header) ?? (await this.settle(header));
    this.#taken.set(header, signature);
    if (paid === 'vanish') return;
    if (paid === 'busy') return send(response, 503, { error: 'come again' });
    if (paid === 'fail') return send(response, 502, { error: 'the model is down' });
    const receipt = {
      success: true,
      transaction: paid === 'lie' ? await this.#other() : signature,
      network: payment.network ?? payment.accepted.network,
      payer: this.feePayer.publicKey.toBase58(),
    };
    const name = version === 2 ? 'payment-response' : 'x-payment-response';
    response.setHeader(name, Buffer.from(JSON.stringify(receipt)).toString('base64'));
    this.#served.add(header);
    send(response, 200, { weather: 'fair' });
  }

  #ask(response: ServerResponse): void {
    const offer = this.offer();
    if (this.manner.version === 2)
      response.setHeader('payment-required', Buffer.from(JSON.stringify(offer)).toString('base64'));
    send(response, 402, this.manner.version === 2 ? {} : offer);
  }

  /** A transaction that has nothing to do with the payment. */
  async #other(): Promise<string> {
    const [first] = await this.#connection.getSignaturesForAddress(this.feePayer.publicKey, { limit: 1 });
    return first?.signature === this.settled.at(-1) ? '5'.repeat(87) : (first?.signature ?? '5'.repeat(87));
  }

  async #settle(payment: any): Promise<string> {
    const bytes = Buffer.from(payment.payload.transaction, 'base64');
    const transaction = VersionedTransaction.deserialize(bytes);
    this.#check(payment, transaction);
    transaction.sign([this.feePayer]);
    const signature = await this.#connection.sendTransaction(transaction, { skipPreflight: false });
    for (let tries = 0; tries < 200; tries++) {
      const { value } = await this.#connection.getSignatureStatus(signature);
      if (value?.err) throw new Error(`a payment failed: ${JSON.stringify(value.err)}`);
      if (value) {
        this.settled.push(signature);
        return signature;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error('a payment did not land');
  }

  /** The checks that a facilitator makes, as the scheme lists them. */
  #check(payment: any, { message }: VersionedTransaction): void {
    const problem = (is: boolean, what: string) => {
      if (is) this.problems.push(what);
    };
    const [entry] = this.offer()['accepts'];
    const { version } = this.manner;
    problem(payment.x402Version !== version, `version ${payment.x402Version}`);
    if (version === 2) {
      problem(JSON.stringify(payment.accepted) !== JSON.stringify(entry), 'accepted is not the offer');
      problem(payment.resource?.url !== this.url, 'the resource is missing');
    } else {
      problem(payment.scheme !== 'exact' || payment.network !== entry.network, 'scheme or network');
    }
    problem(message.version !== 0, 'not a transaction of version 0');
    const keys = message.staticAccountKeys.map((key) => key.toBase58());
    const feePayer = this.feePayer.publicKey.toBase58();
    problem(keys[0] !== feePayer, 'another payer of the fee');
    const programs = message.compiledInstructions.map(({ programIdIndex }) => keys[programIdIndex]);
    const wanted = [COMPUTE_BUDGET, COMPUTE_BUDGET, TOKEN_PROGRAM.toBase58(), MEMO_PROGRAM.toBase58()];
    problem(JSON.stringify(programs) !== JSON.stringify(wanted), `instructions of ${programs}`);
    const [limit, price, transfer, memo] = message.compiledInstructions.map(({ data }) => Buffer.from(data));
    problem(limit![0] !== 2 || limit!.readUInt32LE(1) > 200_000, 'the compute limit');
    problem(price![0] !== 3 || price!.readBigUInt64LE(1) > 5_000_000n, 'the compute price');
    problem(transfer![0] !== TRANSFER_CHECKED || transfer![9] !== USDC_DECIMALS, 'no TransferChecked');
    problem(transfer!.readBigUInt64LE(1).toString() !== this.manner.price, 'another amount');
    const accounts = message.compiledInstructions[2]!.accountKeyIndexes.map((index) => keys[index]);
    const destination = associatedTokenAddress(new PublicKey(this.payTo), new PublicKey(this.#mint)).toBase58();
    problem(accounts[1] !== this.#mint || accounts[2] !== destination, 'another destination');
    const used = message.compiledInstructions.flatMap(({ accountKeyIndexes }) => accountKeyIndexes);
    problem(
      used.some((index) => keys[index] === feePayer),
      'the payer of the fee takes part',
    );
    const text = memo!.toString('utf8');
    const said = this.manner.extra['memo'];
    problem(said === undefined ? text.length < 32 : text !== said, 'the memo');
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
