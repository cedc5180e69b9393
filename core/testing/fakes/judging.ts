import { MeshError } from '../../contracts/errors.ts';
import type {
  EscrowAccount,
  EscrowAccounts,
  EscrowEventPage,
  EscrowName,
  Judge,
  JudgedDeal,
  Judging,
  VerdictWord,
} from '../../services.ts';

export interface FakeVerdict {
  readonly deal: JudgedDeal;
  readonly word: VerdictWord;
  readonly party: string;
}

export interface FakeJudging extends Judging {
  /** The VERDICTs that were sent, and the decisions that were taken, in their order; repeated ones are there once. */
  readonly verdicts: readonly FakeVerdict[];
  readonly decisions: readonly { readonly conversation: string; readonly forProvider: boolean }[];
  /** The reminders, by conversation. */
  readonly reminders: ReadonlyMap<string, string>;
  /** The judge of the plugin under test. */
  readonly judge: Judge | undefined;
}

/** `value(Judging, fakeJudging())`: sends nothing, so parts of `sends` do not run; the real service of a test node sends without a ledger, too. */
export function fakeJudging(): FakeJudging {
  const verdicts: (FakeVerdict & { readonly operationId: string | undefined })[] = [];
  const decisions: { conversation: string; forProvider: boolean }[] = [];
  const reminders = new Map<string, string>();
  let judge: Judge | undefined;
  const decisionOf = ({ conversation }: EscrowName, forProvider: boolean) =>
    decisions.findIndex((one) => one.conversation === conversation && one.forProvider === forProvider);
  return {
    verdicts,
    decisions,
    reminders,
    get judge() {
      return judge;
    },
    judgeBy(made) {
      if (judge) throw new MeshError('conflict', 'Another plugin keeps the cases of this agent.');
      judge = made;
      return () => {
        judge = undefined;
      };
    },
    word({ outcome, reason, reasoning = reason }) {
      const approves = outcome === 'approve' || outcome === 'completed' || outcome === 2;
      const hash =
        reasoning === undefined ? {} : { reason_hash: Buffer.from(reasoning).toString('hex').padEnd(64, '0') };
      return { outcome: approves ? 'approve' : 'reject', ...hash };
    },
    async verdict(deal, word, party, operationId) {
      const before = verdicts.findIndex((one) => operationId !== undefined && one.operationId === operationId);
      if (before < 0) verdicts.push({ deal, word, party, operationId });
      const nonce = before < 0 ? verdicts.length : before + 1;
      const id = nonce.toString(16).padStart(64, '0');
      return { id, conversationId: deal.conversation, nonce, payloadHash: '0'.repeat(64), status: 'queued' };
    },
    async decide(deal, forProvider) {
      if (decisionOf(deal, forProvider) < 0) decisions.push({ conversation: deal.conversation, forProvider });
      return { signature: `decision-${decisionOf(deal, forProvider) + 1}` };
    },
    isDecided: async (deal, forProvider) => decisionOf(deal, forProvider) >= 0,
    remind: (conversation, reminder) => void reminders.set(conversation, reminder),
  };
}

export interface FakeEscrowAccounts extends EscrowAccounts {
  /** The escrow of a deal is open, as the ledger shows it from the next slot on; undefined: it is gone. */
  put(name: EscrowName, escrow: Partial<EscrowAccount> | undefined): void;
  /** Adds to the history of an escrow. */
  happen(name: EscrowName, ...entries: EscrowEventPage['entries']): void;
}

/** `value(EscrowAccounts, fakeEscrowAccounts())`: a ledger with the escrows that a test puts there. */
export function fakeEscrowAccounts(disputeSecs = 86_400): FakeEscrowAccounts {
  const open = new Map<string, EscrowAccount>();
  const histories = new Map<string, EscrowEventPage['entries'][number][]>();
  let slot = 1;
  return {
    missing: undefined,
    disputeSecs,
    put(name, escrow) {
      slot += 1;
      if (escrow) open.set(keyOf(name), { ...sampleEscrow(name), ...escrow });
      else open.delete(keyOf(name));
    },
    happen(name, ...entries) {
      histories.set(keyOf(name), [...(histories.get(keyOf(name)) ?? []), ...entries]);
    },
    get: async (names) => ({ slot, value: names.map((name) => open.get(keyOf(name))) }),
    async events(name, after, limit) {
      const from = Number(after ?? 0);
      const entries = (histories.get(keyOf(name)) ?? []).slice(from, from + limit);
      return { entries, cursor: entries.length === 0 ? after : String(from + entries.length) };
    },
  };
}

function keyOf({ requester, provider, conversation }: EscrowName): string {
  return `${requester}/${provider}/${conversation}`;
}

function sampleEscrow({ requester, provider, conversation }: EscrowName): EscrowAccount {
  return {
    ...{ requester, provider, conversation, address: 'escrow', vault: 'vault', payee: 'payee', state: 'locked' },
    ...{ notary: null, terms: '0'.repeat(64), delivery: null, amount: 1_000_000n, bond: 500_000n },
    ...{
      deadline: 0,
      reviewSecs: 86_400,
      lockedAt: 0,
      deliveredAt: null,
      disputedAt: null,
      disputeBps: 0,
      offerBps: 0,
    },
  };
}
