import bs58 from 'bs58';
import type { SchemaTypes } from '../../schemas/types.ts';
import type { Settings } from '../contracts/settings.ts';
import { DEFAULT_NETWORK } from '../contracts/settings.ts';
import type { Network, NetworkParts } from '../protocol/identity/network.ts';
import type { Ledger } from './ledger.ts';

const KEY_BYTES = 32;

/**
 * The parts that make a network: its name, and the ledger parts, which come from the ledger or, in a process without
 * one, from settings. Throws when the two disagree.
 */
export function networkParts(ledger: Ledger | undefined, settings: Settings['network']): NetworkParts {
  const name = settings.id ?? DEFAULT_NETWORK;
  const version = settings.envelope ?? 2;
  const told = toldParts(settings);
  if (!ledger?.settlement) return { name, version, ...told };
  const { deployment, numbers } = ledger.settlement;
  const found = {
    genesisHash: bs58.decode(ledger.cluster.genesisHash),
    programId: bs58.decode(deployment.programId),
    configAddress: bs58.decode(deployment.config),
    epochSecs: numbers.epochSecs,
  };
  for (const [part, value] of Object.entries(told)) {
    if (String(value) !== String(found[part as keyof typeof found]))
      throw new Error(`network.${SETTINGS[part as keyof typeof SETTINGS]} is not that of the ledger; leave it out`);
  }
  return { name, version, ...found };
}

/** The public description of a network; two networks are the same when all of it is equal. */
export function networkView({ name, version, epochSecs }: Network, parts: NetworkParts): SchemaTypes['network'] {
  const { genesisHash, programId, configAddress } = parts;
  return {
    network_id: name,
    envelope_version: version,
    epoch_secs: epochSecs,
    ...(genesisHash && { genesis_hash: bs58.encode(genesisHash) }),
    ...(programId && { program: bs58.encode(programId) }),
    ...(configAddress && { config: bs58.encode(configAddress) }),
  };
}

const SETTINGS = { genesisHash: 'genesisHash', programId: 'program', configAddress: 'config', epochSecs: 'epochSecs' };

function toldParts({ genesisHash, program, config, epochSecs }: Settings['network']): Omit<NetworkParts, 'name'> {
  const given = [genesisHash, program, config].filter((part) => part !== undefined).length;
  if (given !== 0 && given !== 3)
    throw new Error('network.genesisHash, network.program and network.config belong together: give all, or none');
  return {
    ...(genesisHash !== undefined && { genesisHash: keyBytes(genesisHash) }),
    ...(program !== undefined && { programId: keyBytes(program) }),
    ...(config !== undefined && { configAddress: keyBytes(config) }),
    ...(epochSecs !== undefined && { epochSecs }),
  };
}

function keyBytes(text: string): Uint8Array {
  const bytes = bs58.decodeUnsafe(text);
  if (bytes?.length !== KEY_BYTES) throw new Error(`${text} is no base58 address of 32 bytes`);
  return bytes;
}
