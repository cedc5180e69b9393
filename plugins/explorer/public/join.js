// The command that starts a node in a mesh.

/** Stands where a reader puts a URL that the aggregator does not know. */
export const RPC = 'RPC_URL';

export function joinCommand({ network_id: name, program, config }, aggregator) {
  return [
    'mesh start --agent-name my-agent',
    `--aggregator-url ${aggregator}`,
    `--network-id ${quoted(name)}`,
    program && `--rpc-url ${RPC}`,
    program && `--ledger-program ${program}`,
    config && `--ledger-config ${config}`,
  ]
    .filter(Boolean)
    .join(' \\\n  ');
}

/** A word of a shell: the name of a network is the operator's. */
function quoted(word) {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
