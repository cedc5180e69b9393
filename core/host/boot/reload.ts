import type { Contracts } from '../../contracts/contracts.ts';
import type { Random } from '../../platform/clock.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { apiSecretOf } from '../config/api-secret.ts';
import { type Configuration, type ConfigurationSource, readConfiguration } from '../config/configuration.ts';

/** Settings that a running node takes over; every other needs a restart. */
export const RELOADED: readonly string[] = ['log.level', 'api.secret'];

/** The result of reading the configuration again. Names of settings only, never their values. */
export interface Reloaded {
  /** In force now. */
  readonly changed: readonly string[];
  /** Changed in the configuration, and in force after a restart. */
  readonly restart: readonly string[];
  /** Why nothing was taken over at all. */
  readonly problems: readonly Problem[];
}

export interface Reloadable {
  readonly configuration: Configuration;
  readonly source: ConfigurationSource;
  readonly contracts: Contracts;
  readonly random: Random;
  /** Those that are in force. */
  readonly apiSecret: string;
  readonly level: string;
  setLevel(level: string): void;
  setSecret(secret: string): void;
}

/** Reads the configuration again and takes over what can change while the node runs: all of it, or nothing. */
export async function reload(node: Reloadable): Promise<Reloaded> {
  const now = readConfiguration(node.source, node.contracts);
  const refused = (problems: readonly Problem[]) => ({ changed: [], restart: [], problems });
  if (now.problems.length > 0) return refused(now.problems);
  const { settings } = now;
  const secret = await apiSecretOf(node.configuration.settings.dataDir, settings.api.secret, node.random).catch(
    (error: unknown) => ({ where: 'api.secret', what: messageOf(error) }),
  );
  if (typeof secret !== 'string') return refused([secret]);
  const [before, after] = [valuesOf(node.configuration.settings), valuesOf(settings)];
  const different = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  );
  const { level = 'info' } = settings.log;
  const changed = [
    ...(level === node.level ? [] : ['log.level']),
    ...(secret === node.apiSecret ? [] : ['api.secret']),
  ];
  node.setLevel(level);
  node.setSecret(secret);
  return { changed, restart: different.filter((key) => !RELOADED.includes(key)), problems: [] };
}

/** Every setting by its dotted name, as text to compare. */
function valuesOf(value: unknown, at = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) valuesOf(inner, at ? `${at}.${key}` : key, found);
  } else if (value !== undefined) found.set(at, JSON.stringify(value));
  return found;
}
