import { MeshError } from '../../../core/errors.ts';
import type { Cluster, PreparedTransaction } from '../../../core/ledger/ledger.ts';
import type { Settlement } from '../../../core/ledger/settlement.ts';
import type { EscrowName } from '../../../core/ledger/settlement-steps.ts';
import { type Commitment, publicKey, readAccounts } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import {
  type AccountName,
  type AccountValues,
  accusationAddress,
  agentAddress,
  decodeAccount,
  escrowAddress,
  ownerLinkAddress,
  vaultAddress,
} from '../program/index.ts';
import { accusationAccount, agentAccount, escrowAccount, ownerLink } from './accounts.ts';
import { readLedgerTime } from './clock-account.ts';
import { findDeployment, type SettlementAddress } from './deployment.ts';
import { programName } from './escrow-plan.ts';
import { Events } from './events.ts';
import { bytesField, checkAddresses } from './fields.ts';
import { prepareStep } from './prepare.ts';

export interface SettlementOptions extends SettlementAddress {
  /** Micro-lamports per compute unit. */
  readonly maxPriorityFee: number;
  /** Told of every transaction that was prepared. */
  readonly prepared: (transaction: PreparedTransaction) => void;
}

const MAX_AT_ONCE = 100;

/** Opens the settlement program behind the port; rejects when it is not the one of this mesh. */
export async function openSettlement(rpc: JsonRpc, cluster: Cluster, options: SettlementOptions): Promise<Settlement> {
  const { numbers, network, ...place } = await findDeployment(rpc, cluster, options);
  const events = new Events(rpc, place);

  async function read<N extends AccountName>(
    kind: N,
    addresses: readonly string[],
    commitment: Commitment,
  ): Promise<(AccountValues<N> | undefined)[]> {
    const accounts = await readAccounts(rpc, addresses.map(publicKey), commitment);
    return accounts
      .map((account) => account ?? undefined)
      .map((raw) => raw && decodeAccount(place.programId, kind, raw));
  }

  function addressOf(name: EscrowName): string {
    checkAddresses(name);
    return escrowAddress(place, programName(name));
  }

  async function escrowsOf(names: readonly EscrowName[], commitment: Commitment) {
    const addresses = names.map(addressOf);
    const accounts = await read('escrow', addresses, commitment);
    return accounts.map((values, index) => values && escrowAccount(place, addresses[index]!, values));
  }

  async function agentsOf(keys: readonly string[], commitment: Commitment) {
    for (const key of keys) checkAddresses({ key });
    const addresses = keys.map((key) => agentAddress(place, key));
    const accounts = await read('agent', addresses, commitment);
    return accounts.map((values, index) => values && agentAccount(addresses[index]!, values));
  }

  return {
    deployment: { programId: place.programId, config: place.config, treasury: place.treasury, network },
    numbers,
    time: () => readLedgerTime(rpc, numbers.epochSecs),
    escrow: async (name) => (await escrowsOf([name], 'finalized'))[0],
    escrows: (names) => severalOf(names, (few) => escrowsOf(few, 'finalized')),
    escrowAddress(name) {
      const address = addressOf(name);
      return { address, vault: vaultAddress(place, address) };
    },
    agent: async (key) => (await agentsOf([key], 'finalized'))[0],
    agents: (keys) => severalOf(keys, (few) => agentsOf(few, 'finalized')),
    async accusation(key, id) {
      checkAddresses({ key });
      const address = accusationAddress(place, key, bytesField('id', id, 32));
      const [values] = await read('accusation', [address], 'finalized');
      return values && accusationAccount(key, values);
    },
    async ownerLink(key) {
      checkAddresses({ key });
      const address = ownerLinkAddress(place, key);
      const [values] = await read('ownerLink', [address], 'finalized');
      return values && ownerLink(address, values);
    },
    async prepare(step, signers) {
      checkAddresses(step);
      const context = {
        place,
        network,
        signers,
        async escrow(name: EscrowName) {
          const [escrow] = await escrowsOf([name], 'confirmed');
          if (!escrow) throw new MeshError('escrow_not_found');
          return escrow;
        },
        agent: async (key: string) => (await agentsOf([key], 'confirmed'))[0],
      };
      const prepared = await prepareStep(rpc, step, context, options.maxPriorityFee);
      options.prepared(prepared);
      return prepared;
    },
    events: (after, limit) => events.page(place.config, after, limit),
    escrowEvents: (name, after, limit) =>
      events.page(addressOf(name), after, limit, (event) => 'requester' in event && isOf(name, event)),
  };
}

function isOf({ requester, provider, conversation }: EscrowName, event: EscrowName): boolean {
  return event.requester === requester && event.provider === provider && event.conversation === conversation;
}

async function severalOf<K, T>(keys: readonly K[], read: (keys: readonly K[]) => Promise<T[]>): Promise<T[]> {
  if (keys.length > MAX_AT_ONCE)
    throw new MeshError('invalid_request', `At most ${MAX_AT_ONCE} accounts are read at once.`);
  return keys.length === 0 ? [] : read(keys);
}
