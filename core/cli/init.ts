import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFAULT_NETWORK } from '../contracts/settings.ts';
import { packageRoot } from '../platform/package-root.ts';
import { messageOf } from '../platform/problem.ts';
import { calledAs } from './called-as.ts';
import { command, Failure } from './command.ts';

const FILE = 'plugins.json';
const PORTS = { node: 9090, aggregator: 9080 };
/** The `.gitignore` that is written where there is none: the data folder holds the key and the API secret. */
const IGNORED = 'data/\nnode_modules/\n';

/** `mesh init`: a configuration with comments, with which `mesh start` starts. */
export const init = command({
  summary: 'Writes a commented configuration for a node, with which mesh start starts.',
  about:
    'It asks nothing and overwrites nothing. In a folder without a .gitignore it makes one that leaves out keys and data.',
  words: [{ name: 'DIR', summary: 'where plugins.json is made; this folder unless given', optional: true }],
  options: {
    profile: {
      takes: 'NAME',
      summary: 'what it shall be',
      choices: ['node', 'aggregator'],
      default: 'node',
    },
    name: { takes: 'NAME', summary: 'the name that others see' },
    'network-id': { takes: 'NAME', summary: 'which mesh to join', default: DEFAULT_NETWORK },
  },
  examples: ['init', 'init my-node --name word-counter', 'init my-aggregator --profile aggregator'],
  async run({ words: [dir = '.'], options }, _, terminal) {
    const folder = resolve(dir);
    const file = join(folder, FILE);
    const profile = options.profile === 'aggregator' ? 'aggregator' : 'node';
    const text = configurationText(folder, { profile, name: options.name, network: options['network-id'] });
    const made = [file];
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, text, { flag: 'wx' });
      const ignore = join(folder, '.gitignore');
      if (!existsSync(ignore)) made.push(written(ignore));
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
      const what = isThere ? `${file} is there already; remove it, or name another folder` : messageOf(error);
      throw new Failure(what, { file }, error);
    }
    const mesh = calledAs(terminal.env, folder);
    const enter = folder === resolve('.') ? [] : [`cd ${relative('.', folder)}`];
    const next = [...enter, `${mesh} check`, `${mesh} start`];
    if (options.json) terminal.out(JSON.stringify({ profile, made, next }));
    else terminal.out([`Made ${made.join(' and ')}. Next:`, ...next.map((line) => `  ${line}`)].join('\n'));
    return 0;
  },
});

function written(file: string): string {
  writeFileSync(file, IGNORED, { flag: 'wx' });
  return file;
}

interface Wish {
  readonly profile: 'node' | 'aggregator';
  readonly name: string | undefined;
  readonly network: string | undefined;
}

/** The file, in which everything that is commented out shows what else there is. */
function configurationText(folder: string, { profile, name, network = DEFAULT_NETWORK }: Wish): string {
  const isNode = profile === 'node';
  const agent = `"agent": { "name": ${JSON.stringify(name ?? 'my-agent')} },`;
  return `{
  // The configuration of agent-mesh. Comments are fine here. \`mesh check\` says what is wrong with it, \`mesh config show\`
  // what is in force and why. Flags and NODE_* variables win over it. A value may be { "$env": "NAME" } or { "$file": "path" }.
  "$schema": ${JSON.stringify(schemaFrom(folder))},

  // "node" runs for an agent; "aggregator" indexes a network.
  "profile": ${JSON.stringify(profile)},

  // Where the HTTP API listens. Only this machine reaches 127.0.0.1.
  "listen": "127.0.0.1:${PORTS[profile]}",

  // Identity, secrets and data, relative to this file. It is never just copied: \`mesh backup\` does that.
  "dataDir": "./data",

  // The name that others see.
  ${name === undefined ? `// ${agent}` : agent}

  // Which mesh this is. All its nodes and aggregators name the same.
  "network": { "id": ${JSON.stringify(network)} },

  "mesh": {
    ${isNode ? '// Through aggregators others find this agent, and see what it is worth.' : '// Other aggregators, if there are any.'}
    "aggregators": []
    // , "hubs": ["https://hub.example"] // relay for this one when it cannot be reached from outside
  },

  // Without a ledger nothing can be paid. \`mesh localnet\` runs one and prints these members; devnet's SOL comes from
  // https://faucet.solana.com and its USDC from https://faucet.circle.com.
  // "ledger": { "rpcUrls": ["http://127.0.0.1:8899"], "program": "ADDRESS", "config": "ADDRESS" },
${isNode ? NODE_MONEY : ''}
  // Files that survive a power cut; or a Redis: { "use": "redis", "url": { "$env": "REDIS_URL" } }.
  "storage": { "use": "lowdb" },

  // \`mesh logs\` reads the file. Without it the log goes to standard output.
  "log": { "level": "info", "file": "./data/mesh.log" },

  // More features, by where they come from: a bare word is built in, ./path is a file, anything else an npm package.
  "plugins": {}
}
`;
}

const NODE_MONEY = `
  // Caps on spending, in USDC. These hold where the file names none.
  // "core": { "money": { "maxEscrow": "25", "maxStake": "100", "maxPerDay": "100", "maxPerPartnerPerDay": "50" } },
`;

/** How the file names its schema, for editors: relative where the package lies below or above it. */
function schemaFrom(folder: string): string {
  const schema = join(packageRoot, 'schemas', FILE);
  const near = relative(folder, schema).split(sep).join('/');
  const isNear = near.startsWith('node_modules/') || (near.match(/\.\.\//g)?.length ?? 0) <= 2;
  return isNear ? (near.startsWith('.') ? near : `./${near}`) : pathToFileURL(schema).href;
}
