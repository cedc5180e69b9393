/**
 * Settings that the operator may change over the API, and when a change holds. Whatever decides the identity of a node, its data, its money,
 * its trust and its doors is none of them: a stolen API secret must not outlive its replacement.
 */
export const CHANGEABLE: ReadonlyMap<string, 'now' | 'restart'> = new Map([
  ['agent.name', 'restart'],
  ['agent.capabilities', 'restart'],
  ['agent.description', 'restart'],
  ['agent.priceRangeUsd', 'restart'],
  ['agent.geo.country', 'restart'],
  ['agent.geo.city', 'restart'],
  ['mesh.report', 'restart'],
  ['mesh.relayServer', 'restart'],
  ['mesh.topics', 'restart'],
  ['mesh.beaconSecs', 'restart'],
  ['mesh.pingSecs', 'restart'],
  ['mesh.peerRate', 'restart'],
  ['mesh.senderRate', 'restart'],
  ['mesh.senderMessages', 'restart'],
  ['mesh.strangerOffers', 'restart'],
  ['mesh.strangerInboxMiB', 'restart'],
  ['api.drainSecs', 'restart'],
  ['api.unsentMiB', 'restart'],
  ['log.level', 'now'],
  ['log.format', 'restart'],
]);

const FIXED: readonly (readonly [names: RegExp, reason: string])[] = [
  [/^core\.money\./, 'a cap bounds the holder of the secret too, so only plugins.json raises it'],
  [/^(core|plugins)\./, 'parts and plugins are set up in plugins.json'],
  [/^api\./, 'it decides who may call this node, so only plugins.json changes it'],
  [/^(ledger|mesh)\./, 'it decides whom this node trusts, so only plugins.json changes it'],
  [/./, 'it decides what this node is and where its data are, so only plugins.json changes it'],
];

/** Why a setting that is not among those cannot be changed over the API. */
export function reasonFixed(key: string): string {
  return FIXED.find(([names]) => names.test(key))![1];
}
