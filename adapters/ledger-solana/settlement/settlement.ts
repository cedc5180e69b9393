import { MeshError } from '../../../core/errors.ts';
import type { Cluster, PreparedTransaction } from '../../../core/ledger/ledger.ts';
import type { AccusationName, Reading, Settlement } from '../../../core/ledger/settlement.ts';
import type { EscrowName } from '../../../core/ledger/settlement-steps.ts';
import { type Commitment, publicKey, readAccountsAt } from '../holdings.ts';
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

interface When {
  readonly commitment: Commitment;
  readonly atLeast?: number | undefined;
}
const FINALIZED: When = { commitment: 'finalized' };
const CONFIRMED: When = { commitment: 'confirmed' };

/** Opens the settlement program behind the port; rejects when it is not the one of this mesh. */
export async function openSettlement(rpc: JsonRpc, cluster: Cluster, options: SettlementOptions): Promise<Settlement> {
  const { numbers, network, ...place } = await findDeployment(rpc, cluster, options);
  const events = new Events(rpc, place);

  async function read<N extends AccountName, T>(
    kind: N,
    addresses: readonly string[],
    { commitment, atLeast }: When,
    shown: (values: AccountValues<N>, index: number) => T,
  ): Promise<Reading<readonly (T | undefined)[]>> {
    const { slot, value } = await readAccountsAt(rpc, addresses.map(publicKey), commitment, atLeast);
    const decoded = value.map((account) => account && decodeAccount(place.programId, kind, account));
    return { slot, value: decoded.map((values, index) => (values ? shown(values, index) : undefined)) };
  }

  function addressOf(name: EscrowName): string {
    checkAddresses(name);
    return escrowAddress(place, programName(name));
  }

  function escrowsOf(names: readonly EscrowName[], when: When) {
    const addresses = names.map(addressOf);
    return read('escrow', addresses, when, (values, index) => escrowAccount(place, addresses[index]!, values));
  }

  function agentsOf(keys: readonly string[], when: When) {
    for (const key of keys) checkAddresses({ key });
    const addresses = keys.map((key) => agentAddress(place, key));
    return read('agent', addresses, when, (values, index) => agentAccount(addresses[index]!, values));
  }

  function accusationsOf(names: readonly AccusationName[], when: When) {
    for (const { key } of names) checkAddresses({ key });
    const addresses = names.map(({ key, id }) => accusationAddress(place, key, bytesField('id', id, 32)));
    return read('accusation', addresses, when, (values, index) => accusationAccount(names[index]!.key, values));
  }

  return {
    deployment: { programId: place.programId, config: place.config, treasury: place.treasury, network },
    numbers,
    time: () => readLedgerTime(rpc, numbers.epochSecs),
    escrow: async (name) => (await escrowsOf([name], FINALIZED)).value[0],
    escrows: (names, atLeast) => severalOf(names, (few) => escrowsOf(few, { ...FINALIZED, atLeast })),
    escrowAddress(name) {
      const address = addressOf(name);
      return { address, vault: vaultAddress(place, address) };
    },
    agent: async (key) => (await agentsOf([key], FINALIZED)).value[0],
    agents: (keys, atLeast) => severalOf(keys, (few) => agentsOf(few, { ...FINALIZED, atLeast })),
    accusation: async (key, id) => (await accusationsOf([{ key, id }], FINALIZED)).value[0],
    accusations: (names, atLeast) => severalOf(names, (few) => accusationsOf(few, { ...FINALIZED, atLeast })),
    async ownerLink(key) {
      checkAddresses({ key });
      const address = ownerLinkAddress(place, key);
      return (await read('ownerLink', [address], FINALIZED, (values) => ownerLink(address, values))).value[0];
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

async function severalOf<K, T>(
  keys: readonly K[],
  read: (keys: readonly K[]) => Promise<Reading<T>>,
): Promise<Reading<T>> {
  if (keys.length > MAX_AT_ONCE)
    throw new MeshError('invalid_request', `At most ${MAX_AT_ONCE} accounts are read at once.`);
  return read(keys);
}
