import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatUsdc, parseUsdc } from '../../../core/platform/usdc.ts';

/** Stands in for the gateway: `GET /v1/info` and `POST /v1/balances`, with balances by depositor and its own domain numbers. */
export class GatewayStandIn {
  readonly url: string;
  readonly balances = new Map<string, ReadonlyMap<number, string>>();
  readonly complaints: string[] = [];
  /** How many sources each question named, newest last. */
  readonly asked: number[] = [];
  /** A question that names more sources is refused. */
  most = 1_000;
  /** A question that names one of these depositors is refused. */
  readonly refused = new Set<string>();
  /** The body of the next answer, whatever was asked. */
  next: string | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const { next } = this;
      this.next = undefined;
      const found = next === undefined ? await this.#answer(request) : undefined;
      const answer = next ?? (found === undefined ? undefined : JSON.stringify(found));
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(answer ?? JSON.stringify({ success: false, message: 'no such page' }));
    });
  }

  static async start(): Promise<GatewayStandIn> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new GatewayStandIn(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    if (request.method === 'POST' && request.url === '/stand-in/deposits') return this.#deposit(await bodyOf(request));
    if (request.method === 'GET' && request.url === '/v1/info')
      return {
        version: 1,
        domains: [
          {
            ...{ chain: 'Base', network: 'Sepolia', domain: 6, processedHeight: '1', burnIntentExpirationHeight: '2' },
            walletContract: { address: '0x00', supportedTokens: ['0x036CbD53842c5426634e7929541eC2318f3dCF7e'] },
          },
          {
            ...{ chain: 'Sei', network: 'Testnet', domain: 16 },
            ...{ processedHeight: '1', burnIntentExpirationHeight: '2' },
          },
          { chain: 'Codex', network: 'Testnet', domain: 12, processedHeight: '1', burnIntentExpirationHeight: '2' },
        ],
      };
    if (request.method !== 'POST' || request.url !== '/v1/balances') return undefined;
    const { token, sources } = JSON.parse(await bodyOf(request));
    if (token !== 'USDC' || !Array.isArray(sources)) this.complaints.push('another body');
    this.asked.push(sources.length);
    if (sources.length > this.most) return undefined;
    if (sources.some(({ depositor }: { depositor: string }) => this.refused.has(depositor))) return undefined;
    return {
      token,
      balances: sources.flatMap(({ depositor, domain }: { depositor: string; domain?: number }) =>
        [...(this.balances.get(depositor) ?? [])]
          .filter(([one]) => domain === undefined || one === domain)
          .map(([one, balance]) => ({ domain: one, depositor, balance })),
      ),
    };
  }

  /** What `depositFor` of the wallet contract would do on a chain: the depositor has so much more there. No gateway has this door. */
  #deposit(body: string): unknown {
    const { depositor, domain, amount } = JSON.parse(body);
    const minor = parseUsdc(String(amount));
    if (!/^0x[0-9a-fA-F]{40}$/.test(depositor) || !Number.isInteger(domain) || !minor)
      return { success: false, message: 'depositor is an address, domain a number of the gateway, amount a decimal' };
    const before = this.balances.get(depositor) ?? new Map<number, string>();
    const balance = formatUsdc((parseUsdc(before.get(domain) ?? '0') ?? 0n) + minor);
    this.balances.set(depositor, new Map([...before, [domain, balance]]));
    return { depositor, domain, balance };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
