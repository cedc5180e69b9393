// Receipts, checked here: their encoding, id, public part and signature. What this server says of them is not asked.
import { at, readNetwork } from './data.js';
import { keccak256 } from './keccak.js';
import { base58, base58Text } from './seal.js';

const KEY = 32;
const HEADER = 143;
const SEQ_RANGE = 2 ** 22;
const SEALED = 0x8000;
const TYPES = [
  ...['', 'ADVERTISE', 'DISCOVER', 'PROPOSE', 'COUNTER', 'ACCEPT', 'REJECT', 'DELIVER', 'NOTARIZE_BID'],
  ...['NOTARIZE_ASSIGN', 'VERDICT', 'FEEDBACK', 'DISPUTE', 'BEACON', 'BROADCAST', 'BOUNTY', 'MESSAGE'],
];
/** Deal messages: whether their public part names what it answers. */
const DEAL = {
  PROPOSE: false,
  COUNTER: true,
  ACCEPT: true,
  REJECT: true,
  DELIVER: true,
  DISPUTE: true,
  VERDICT: true,
  FEEDBACK: true,
};
const encoder = new TextEncoder();

/** The 32 bytes that every signature of this mesh covers, made here from the parts that the network is said to have. */
export async function networkHash({ network_id: name, genesis_hash: genesis, program, config }) {
  const parts = [genesis, program, config].map((part) => (part === undefined ? new Uint8Array(KEY) : base58(part)));
  if (parts.includes(undefined)) throw new Error('a part of the network is no key');
  const bytes = joined(encoder.encode('agent-mesh/network/1\0'), ...parts, encoder.encode(name));
  if (crypto.subtle) return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const own = await ownProgram();
  if (!own) throw new Error('this browser has no SHA-256 here, and this server does not serve one');
  return own.sha256(bytes);
}

let program;

/** What browsers lack on plain HTTP from another machine, and older ones everywhere; undefined where it is not served. */
function ownProgram() {
  program ??= import(at('recount/signatures.js')).catch(() => undefined);
  return program;
}

/** The network that this aggregator says it is of. */
export async function ownNetwork() {
  const network = await readNetwork();
  return { ...network, hash: await networkHash(network) };
}

/**
 * The checks of a receipt, in their order: `{ text, state, detail }` with a state of `holds`, `fails`, `unknown` (this browser cannot) and
 * `open` (not made, since an earlier one failed), and the fields where they could be read. `said` is the id under which it was handed out.
 */
export async function checkReceipt(bytes, { network, agent, epoch, said }) {
  const receipt = decodeReceipt(bytes);
  const checks = [];
  const note = (text, holds, detail) =>
    checks.push({ text, state: holds === undefined ? 'unknown' : holds ? 'holds' : 'fails', detail });
  note('Its bytes are a receipt, in the one way they can be written', receipt !== undefined, `${bytes.length} bytes`);
  if (!receipt) return { checks: [...checks, ...['Its id', 'Its signature', 'Its number'].map(open)], holds: false };
  const header = headerOf(receipt);
  const id = hex(keccak256(joined(new Uint8Array([0]), header)));
  note('Its id is the hash of these bytes', said === undefined || said === id, id);
  const signed = joined(new Uint8Array([0xff]), encoder.encode('agent-mesh/envelope/2\0'), network.hash, header);
  const isSigned = await verified(signed, receipt.signature, receipt.sender);
  note('The sender signed it, for this network', isSigned, base58Text(receipt.sender));
  if (checks.some(({ state }) => state === 'fails')) {
    const rest = ['Its public part', 'Its number'].map(open);
    return { checks: [...checks, ...rest], receipt, id, holds: false };
  }
  if (receipt.publicPart)
    note('The part that is shown belongs to it', partsHold(receipt), `payer ${base58Text(receipt.payer)}`);
  const ofEpoch = Math.floor(receipt.nonce / SEQ_RANGE);
  const ofTime = Math.floor(Math.floor(receipt.timestamp / 1e6) / network.epoch_secs);
  note(
    'Its number belongs to the epoch of its time',
    ofEpoch === ofTime,
    `number ${receipt.nonce % SEQ_RANGE} of epoch ${ofEpoch}`,
  );
  if (agent !== undefined) note('It is of the agent that was asked about', base58Text(receipt.sender) === agent, agent);
  if (epoch !== undefined) note('It is of the epoch that was asked about', ofEpoch === epoch, `epoch ${ofEpoch}`);
  return { checks, receipt, id, holds: checks.every(({ state }) => state === 'holds') };
}

function open(text) {
  return { text, state: 'open', detail: 'not made' };
}

/** Undefined where this browser knows no Ed25519 and cannot load one. */
async function verified(message, signature, key) {
  if (!isStrict(signature, key)) return false;
  try {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, imported, signature, message);
  } catch (error) {
    if (error.name === 'DataError') return false;
  }
  const own = await ownProgram();
  // It takes some milliseconds on the thread of the page, which goes on in between.
  await new Promise((resolve) => setTimeout(resolve));
  return own?.verify(message, signature, key);
}

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const FIELD = 2n ** 255n - 19n;
/** The y of points of small order, under which anybody signs; p and p + 1 stand for two of them. */
const SMALL_ORDER = [
  0n,
  1n,
  FIELD - 1n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  FIELD,
  FIELD + 1n,
];

/** As the mesh takes them, and browsers do not alone: a canonical key, neither key nor R of small order, S below the order. */
function isStrict(signature, key) {
  const [y, r] = [key, signature.subarray(0, 32)].map((point) => littleEndian(point) & (2n ** 255n - 1n));
  const isSmall = SMALL_ORDER.includes(y) || SMALL_ORDER.includes(r);
  return y < FIELD && !isSmall && littleEndian(signature.subarray(32)) < ORDER;
}

function littleEndian(bytes) {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
}

function partsHold({ publicPart, privateHash, payloadHash }) {
  return hex(keccak256(joined(keccak256(publicPart), privateHash))) === hex(payloadHash);
}

/** The header as signed: integers big-endian, 143 bytes. */
function headerOf({
  version,
  code,
  sender,
  recipient,
  timestamp,
  blockRef,
  nonce,
  conversation,
  payloadHash,
  payloadLength,
}) {
  const bytes = new Uint8Array(HEADER);
  const view = new DataView(bytes.buffer);
  bytes[0] = version;
  view.setUint16(1, code);
  bytes.set(sender, 3);
  bytes.set(recipient, 35);
  view.setBigUint64(67, BigInt(timestamp));
  view.setBigUint64(75, BigInt(blockRef));
  view.setBigUint64(83, BigInt(nonce));
  bytes.set(conversation, 91);
  bytes.set(payloadHash, 107);
  view.setUint32(139, payloadLength);
  return bytes;
}

/** The fields of a receipt, or undefined for bytes that are none. */
export function decodeReceipt(bytes) {
  const items = itemsOf(bytes);
  if (!items || (items.length !== 11 && items.length !== 13)) return undefined;
  const [
    version,
    code,
    sender,
    recipient,
    timestamp,
    blockRef,
    nonce,
    conversation,
    payloadHash,
    payloadLength,
    ...rest
  ] = items;
  const signature = rest.at(-1);
  const type = TYPES[code & ~SEALED];
  const sizes = [
    [sender, KEY],
    [recipient, KEY],
    [conversation, 16],
    [payloadHash, 32],
    [signature, 64],
  ];
  const numbers = [code, timestamp, blockRef, nonce, payloadLength];
  if (version !== 2 || !type || !sizes.every(([one, size]) => one?.length === size)) return undefined;
  if (!numbers.every(Number.isSafeInteger) || code > 0xffff || payloadLength > 65_536) return undefined;
  const receipt = {
    version,
    code,
    type,
    sender,
    recipient,
    timestamp,
    blockRef,
    nonce,
    conversation,
    payloadHash,
    payloadLength,
    signature,
  };
  if (rest.length === 1) return receipt;
  const [publicPart, privateHash] = rest;
  const length = DEAL[type] === undefined ? undefined : DEAL[type] ? 69 : 36;
  const isPair = publicPart?.[0] === 0x82 && publicPart[1] === 0x58 && publicPart[2] === 0x20;
  const isAnswer = length === 69 ? publicPart?.[35] === 0x58 && publicPart[36] === 0x20 : publicPart?.[35] === 0xf6;
  if (publicPart?.length !== length || privateHash?.length !== 32 || !isPair || !isAnswer) return undefined;
  return {
    ...receipt,
    publicPart,
    privateHash,
    payer: publicPart.subarray(3, 35),
    answers: length === 69 ? publicPart.subarray(37) : undefined,
  };
}

/** The items of one CBOR array of whole numbers and byte strings; undefined for anything else, or for another way to write it. */
function itemsOf(bytes) {
  let at = 1;
  const items = [];
  const many = bytes[0] - 0x80;
  if (!(many >= 0 && many < 24)) return undefined;
  for (let index = 0; index < many; index += 1) {
    const head = headAt(bytes, at);
    if (!head) return undefined;
    at = head.end;
    if (head.major === 0) items.push(head.value);
    else if (head.major === 2 && at + head.value <= bytes.length) {
      items.push(bytes.subarray(at, at + head.value));
      at += head.value;
    } else return undefined;
  }
  return at === bytes.length ? items : undefined;
}

/** Only the shortest form of a number is one. */
function headAt(bytes, at) {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const [major, low] = [first >> 5, first & 31];
  if (low < 24) return { major, value: low, end: at + 1 };
  const size = { 24: 1, 25: 2, 26: 4, 27: 8 }[low];
  if (!size || at + 1 + size > bytes.length) return undefined;
  const value = bytes.subarray(at + 1, at + 1 + size).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const least = { 1: 24n, 2: 0x100n, 4: 0x1_0000n, 8: 0x1_0000_0000n }[size];
  if (value < least || value > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { major, value: Number(value), end: at + 1 + size };
}

export function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
