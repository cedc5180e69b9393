import { HttpCaller } from '../../core/client/http-caller.ts';
import { Identity, Ledger } from '../../core/internal-services.ts';
import type { Signer } from '../../core/ledger/ledger.ts';
import { outcomeError } from '../../core/ledger/refusal.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { toHex } from '../../core/platform/bytes.ts';
import type { SignedHeader } from '../../core/protocol/envelopes/envelope.ts';
import { encodeHeader, envelopeId } from '../../core/protocol/envelopes/header.ts';
import type { SettlementStep } from '../../core/protocol/settlement/steps.ts';
import { SHORT_EPOCHS } from '../node/behavior/support.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

export const USDC = 1_000_000n;
const SOL = 1_000_000_000n;
const MINTED = { alice: 100n * USDC, bob: 60n * USDC, walter: 1n * USDC };
const LOCKED = ['locked', 'delivered', 'disputed', 'contested'];
/** Generous, for a machine that does other things too. */
const PATIENCE = 60_000;

/** Three nodes, an aggregator and a ledger with short epochs. Alice buys, Bob works, Walter watches. */
export class World {
  /** USDC that contested disputes destroyed. */
  burnt = 0n;
  #mesh: Mesh<'alice' | 'bob' | 'walter'> | undefined;

  async open(): Promise<void> {
    const staked = { core: { lease: { pay: 'never' } } };
    // Only who tells the terms can have a deal that was left undelivered held against its provider.
    const buyer = { ...staked, mesh: { report: 'offers' } };
    this.#mesh = await startMesh({
      nodes: ['alice', 'bob', 'walter'],
      usdc: { alice: '100', bob: '60', walter: '1' },
      numbers: SHORT_EPOCHS,
      own: { alice: buyer, bob: staked, walter: { core: { watch: { accuse: true, slash: true } } } },
    });
    await this.mesh.localnet.faucet.sol(this.aggregatorKey, SOL);
  }

  close(): Promise<void> | undefined {
    return this.#mesh?.stop();
  }

  get mesh(): Mesh<'alice' | 'bob' | 'walter'> {
    return this.#mesh!;
  }

  get alice(): Member {
    return this.mesh.nodes.alice;
  }

  get bob(): Member {
    return this.mesh.nodes.bob;
  }

  get walter(): Member {
    return this.mesh.nodes.walter;
  }

  get aggregatorKey(): string {
    return this.mesh.aggregatorNode.get(Identity).address;
  }

  get settlement(): Settlement {
    return this.walter.node.get(Ledger).settlement!;
  }

  /** What the aggregator answers. */
  read(path: string): Promise<any> {
    return new HttpCaller({ url: this.mesh.aggregatorNode.url }).get(path);
  }

  /** What the aggregator answers once it is so. */
  shows<T = any>(path: string, is: (body: T) => boolean): Promise<T> {
    return this.eventually(`${path}: ${is}`, async () => {
      const body: T = await this.read(path);
      return is(body) ? body : undefined;
    });
  }

  /** An event of the settlement program as the aggregator tells it, once it does. */
  async event(name: string, filter: string): Promise<any> {
    const events = await this.shows<any[]>(`/ledger/events?${filter}&limit=100`, (all) =>
      all.some(({ event }) => event === name),
    );
    return events.find(({ event }) => event === name);
  }

  eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    return happens(what, ask, PATIENCE);
  }

  /** A step on the ledger without a node. */
  async take(step: SettlementStep, signer: Signer): Promise<void> {
    const ledger = this.walter.node.get(Ledger);
    const outcome = await ledger.submit(await this.settlement.prepare(step, [signer]));
    if (outcome.status !== 'confirmed') throw outcomeError(outcome);
  }

  /** Announces an accusation, lets the slots pass, and accuses. */
  async accuse(key: string, header: SignedHeader, accuser: Signer): Promise<void> {
    await this.take({ type: 'announce', key, id: toHex(envelopeId(header)) }, accuser);
    this.mesh.localnet.warp({ seconds: 0, slots: SHORT_EPOCHS.announceSlots, blocks: 1 });
    const proof = { header: encodeHeader(header), signature: header.signature };
    await this.take({ type: 'accuse', key, ...proof }, accuser);
  }

  /** USDC of a wallet, from the token account itself. */
  usdc(address: string): Promise<bigint> {
    return this.walter.node.get(Ledger).usdc(address);
  }

  /** What `run` changes of the wallets of Alice and Bob. */
  async moved(run: () => Promise<unknown>): Promise<[alice: bigint, bob: bigint]> {
    const now = () => Promise.all([this.usdc(this.alice.id), this.usdc(this.bob.id)]);
    const before = await now();
    await run();
    const after = await now();
    return [after[0] - before[0], after[1] - before[1]];
  }

  /** Every USDC ever minted is in a wallet, told over HTTP to be locked or staked, or burnt. */
  async conserved(): Promise<void> {
    const minted = Object.values(MINTED).reduce((sum, one) => sum + one, 0n) - this.burnt;
    const ids = [this.alice.id, this.bob.id, this.walter.id];
    const wallets = [...ids, this.mesh.localnet.treasury.address];
    await this.eventually('the sum of all USDC is what was minted', async () => {
      const held = await Promise.all(wallets.map((address) => this.usdc(address)));
      const staked = await Promise.all(ids.map(async (id) => (await this.read(`/agents/${id}/stake`)).stake_lamports));
      const escrows: any[] = await this.read(`/agents/${this.alice.id}/escrows`);
      const open = escrows.filter(({ state }) => LOCKED.includes(state));
      const locked = open.flatMap((one) => [one.amount_usdc_micro, one.bond_usdc_micro]);
      const sum = [...held, ...staked, ...locked].reduce((total, one) => total + BigInt(one), 0n);
      return sum === minted || undefined;
    });
  }

  /** Goes through epochs one by one; these have submitted their batches of each. */
  async pass(epochs: number, ...busy: readonly Member[]): Promise<void> {
    for (let count = 0; count < epochs; count += 1) {
      this.mesh.advance(SHORT_EPOCHS.epochSecs);
      const { epoch } = await this.settlement.time();
      for (const { id, name } of busy)
        await this.eventually(`${name} has submitted`, async () => {
          const account = await this.settlement.agent(id);
          return (account && account.last >= epoch - 1) || undefined;
        });
    }
  }
}
