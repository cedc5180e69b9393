import { MeshError } from '../../../core/contracts/errors.ts';
import type { Cluster } from '../../../core/ledger/ledger.ts';
import type { AccusationName, Reading, Settlement } from '../../../core/ledger/settlement.ts';
import { equalBytes, toHex } from '../../../core/platform/bytes.ts';
import type { EscrowName } from '../../../core/protocol/settlement/steps.ts';
import { type Commitment, publicKey, readAccountsAt } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import {
  type AccountName,
  type AccountValues,
  accusationAddress,
  agentAddress,
  escrowAddress,
  ownerLinkAddress,
  tokenAddress,
  vaultAddress,
} from '../program/index.ts';
import type { TransactionReader } from '../transaction-reader.ts';
import type { Witnesses } from '../witnesses.ts';
import { accusationAccount, agentAccount, escrowAccount, ownerLink } from './accounts.ts';
import { ledgerTime, readClock, sameTime } from './clock-account.ts';
import { findDeployment, type SettlementAddress } from './deployment.ts';
import { programName } from './escrow-plan.ts';
import { Events } from './events.ts';
import { bytesField, checkAddresses } from './fields.ts';
import { prepareStep } from './prepare.ts';
import { type AskedAccount, programAccount } from './program-account.ts';

export interface SettlementOptions extends SettlementAddress {
  /** Micro-lamports per compute unit. */
  readonly maxPriorityFee: number;
  readonly reader: TransactionReader;
}

const MAX_AT_ONCE = 100;

type When = { readonly commitment: 'confirmed' } | { readonly commitment: 'finalized'; readonly atLeast?: number };
const FINALIZED: When = { commitment: 'finalized' };
const CONFIRMED: When = { commitment: 'confirmed' };

/** Opens the settlement program behind the port; rejects when it is not the one of this mesh. */
export async function openSettlement(
  witnesses: Witnesses,
  cluster: Cluster,
  options: SettlementOptions,
): Promise<Settlement> {
  const rpc = witnesses.first;
  const { numbers, network, ...place } = await findDeployment(rpc, cluster, options);
  for (const other of witnesses.all.slice(1)) await findDeployment(other, cluster, options);
  const events = new Events({ witnesses, reader: options.reader, programId: place.programId, config: place.config });

  /** Finalised by the word of all nodes; `confirmed`, for steps that are only prepared, by that of the first. */
  async function read<N extends AccountName, T>(
    kind: N,
    asked: readonly AskedAccount<N>[],
    when: When,
    shown: (values: AccountValues<N>, index: number) => T,
  ): Promise<Reading<readonly (T | undefined)[]>> {
    const addresses = asked.map(({ address }) => publicKey(address));
    const from = async (node: JsonRpc, commitment: Commitment, atLeast: number) => {
      const { slot, value } = await readAccountsAt(node, addresses, commitment, atLeast);
      const decoded = value.map((account, index) =>
        programAccount(node, place.programId, kind, asked[index]!, account),
      );
      return { slot, value: decoded.map((values, index) => (values ? shown(values, index) : undefined)) };
    };
    if (when.commitment === 'confirmed') return from(rpc, 'confirmed', 0);
    return witnesses.finalized((node, atLeast) => from(node, 'finalized', atLeast), when.atLeast);
  }

  function addressOf(name: EscrowName): string {
    checkAddresses(name);
    return escrowAddress(place, programName(name));
  }

  function escrowsOf(names: readonly EscrowName[], when: When) {
    const asked = names.map((name): AskedAccount<'escrow'> => {
      const isMeant = (values: AccountValues<'escrow'>) =>
        isOf(name, { ...values, conversation: toHex(values.conversation) });
      return { address: addressOf(name), isMeant };
    });
    return read('escrow', asked, when, (values, index) => escrowAccount(place, asked[index]!.address, values));
  }

  function agentsOf(keys: readonly string[], when: When) {
    for (const key of keys) checkAddresses({ key });
    const asked = keys.map((key): AskedAccount<'agent'> => {
      return { address: agentAddress(place, key), isMeant: (values) => values.key === key };
    });
    return read('agent', asked, when, (values, index) => agentAccount(asked[index]!.address, values));
  }

  function accusationsOf(names: readonly AccusationName[], when: When) {
    for (const { key } of names) checkAddresses({ key });
    const asked = names.map(({ key, id }): AskedAccount<'accusation'> => {
      const bytes = bytesField('id', id, 32);
      return { address: accusationAddress(place, key, bytes), isMeant: (values) => equalBytes(values.id, bytes) };
    });
    return read('accusation', asked, when, (values, index) => accusationAccount(names[index]!.key, values));
  }

  return {
    deployment: { programId: place.programId, config: place.config, treasury: place.treasury, network },
    numbers,
    async time() {
      const { value } = await witnesses.finalized(readClock, 0, sameTime);
      return ledgerTime(value, numbers.epochSecs);
    },
    escrow: async (name) => (await escrowsOf([name], FINALIZED)).value[0],
    escrows: (names, atLeast) => severalOf(names, (few) => escrowsOf(few, finalized(atLeast))),
    escrowAddress(name) {
      const address = addressOf(name);
      return { address, vault: vaultAddress(place, address) };
    },
    tokenAccount: (wallet) => tokenAddress(place, wallet),
    agent: async (key) => (await agentsOf([key], FINALIZED)).value[0],
    agents: (keys, atLeast) => severalOf(keys, (few) => agentsOf(few, finalized(atLeast))),
    accusation: async (key, id) => (await accusationsOf([{ key, id }], FINALIZED)).value[0],
    accusations: (names, atLeast) => severalOf(names, (few) => accusationsOf(few, finalized(atLeast))),
    async ownerLink(key) {
      checkAddresses({ key });
      const address = ownerLinkAddress(place, key);
      const asked: AskedAccount<'ownerLink'> = { address, isMeant: (values) => values.key === key };
      return (await read('ownerLink', [asked], FINALIZED, (values) => ownerLink(address, values))).value[0];
    },
    async prepare(step, signers) {
      checkAddresses(step);
      const context = {
        place,
        network,
        signers,
        async escrow(name: EscrowName) {
          const [escrow] = (await escrowsOf([name], CONFIRMED)).value;
          if (!escrow) throw new MeshError('escrow_not_found');
          return escrow;
        },
        agent: async (key: string) => (await agentsOf([key], CONFIRMED)).value[0],
      };
      return prepareStep(rpc, step, context, options.maxPriorityFee);
    },
    events: (after, limit) => events.page(place.config, after, limit),
    escrowEvents: (name, after, limit) =>
      events.page(addressOf(name), after, limit, (event) => 'requester' in event && isOf(name, event)),
  };
}

function finalized(atLeast: number | undefined): When {
  return { commitment: 'finalized', ...(atLeast !== undefined && { atLeast }) };
}

function isOf({ requester, provider, conversation }: EscrowName, event: EscrowName): boolean {
  return event.requester === requester && event.provider === provider && event.conversation === conversation;
}

async function severalOf<K, T>(
  keys: readonly K[],
  read: (keys: readonly K[]) => Promise<Reading<T>>,
): Promise<Reading<T>> {
  if (keys.length > MAX_AT_ONCE)
    throw new MeshError('invalid_request', `At most ${MAX_AT_ONCE} accounts are read at once.`);
  return read(keys);
}
