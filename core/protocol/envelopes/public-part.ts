import { equalBytes } from '../../platform/bytes.ts';
import { ENVELOPE_ID_LENGTH, KEY_LENGTH } from '../identity/ids.ts';
import type { EnvelopeVersion } from '../identity/network.ts';
import { isForgeable } from '../identity/points.ts';
import { CborWriter } from './cbor-writer.ts';
import { keccak256 } from './keccak.ts';
import type { MessageName } from './message-types.ts';

/**
 * The part of a deal message that anybody may read: the payer if the deal is made, and the envelope that this one
 * answers.
 */
export interface PublicPart {
  /** 32 bytes: the key of the side that pays. */
  readonly payer: Uint8Array;
  /** The id of the offer or of the ACCEPT; undefined for a PROPOSE. */
  readonly answers: Uint8Array | undefined;
}

/** The halves that the payload hash of a deal message is made of, without what is private. */
export interface ShownParts {
  /** The encoded public part. */
  readonly publicPart: Uint8Array;
  /** 32 bytes: keccak-256 of salt and body. */
  readonly privateHash: Uint8Array;
}

type Kind = { readonly version: EnvelopeVersion; readonly msgType: MessageName };

const ANSWERS: Partial<Record<MessageName, boolean>> = {
  ...{ PROPOSE: false, COUNTER: true, ACCEPT: true, REJECT: true },
  ...{ DELIVER: true, DISPUTE: true, VERDICT: true, FEEDBACK: true },
};
const PAIR = 0x82;
const BYTES_32 = [0x58, 0x20] as const;
const NULL = 0xf6;
const AT_PAYER = 3;
const AT_ANSWER = AT_PAYER + KEY_LENGTH;
const OPENING_LENGTH = AT_ANSWER + 1;
const ANSWER_LENGTH = AT_ANSWER + 2 + ENVELOPE_ID_LENGTH;

/** Whether payloads of this type begin with a public part: deal messages of version 2. */
export function hasPublicPart({ version, msgType }: Kind): boolean {
  return version === 2 && ANSWERS[msgType] !== undefined;
}

/** How many bytes of a payload are its public part. The one encoding of a type has one length. */
export function publicLengthOf({ version, msgType }: Kind): number {
  const answers = version === 2 ? ANSWERS[msgType] : undefined;
  return answers === undefined ? 0 : answers ? ANSWER_LENGTH : OPENING_LENGTH;
}

/**
 * A CBOR array of two: the payer, and the answered id or null. Throws a RangeError on fields that no reader would
 * take.
 */
export function encodePublicPart({ payer, answers }: PublicPart, msgType: MessageName): Uint8Array {
  if (isForgeable(payer)) throw new RangeError('the payer is no key');
  if ((answers !== undefined) !== ANSWERS[msgType] || (answers && answers.length !== ENVELOPE_ID_LENGTH)) {
    throw new RangeError(`${msgType} ${ANSWERS[msgType] ? 'needs the id of what it answers' : 'answers nothing'}`);
  }
  const writer = new CborWriter(ANSWER_LENGTH + 9);
  writer.array(2);
  writer.bytes(payer);
  writer.optional(answers, (id) => writer.bytes(id));
  return writer.finish();
}

/** Why these are not the bytes of a public part; undefined when they are. */
export function publicPartProblem(bytes: Uint8Array, kind: Kind): string | undefined {
  if (bytes.length !== publicLengthOf(kind)) return 'the public part has another length';
  const answers = bytes.length === ANSWER_LENGTH;
  const isPair = bytes[0] === PAIR && bytes[1] === BYTES_32[0] && bytes[2] === BYTES_32[1];
  const isAnswer = answers
    ? bytes[AT_ANSWER] === BYTES_32[0] && bytes[AT_ANSWER + 1] === BYTES_32[1]
    : bytes[AT_ANSWER] === NULL;
  if (!isPair || !isAnswer) return 'the public part is not the payer and what is answered';
  return isForgeable(payerIn(bytes)) ? 'the payer is no key' : undefined;
}

/** Reads a public part in which `publicPartProblem` found no problem. The fields are views. */
export function readPublicPart(bytes: Uint8Array): PublicPart {
  return { payer: payerIn(bytes), answers: bytes.length === ANSWER_LENGTH ? bytes.subarray(AT_ANSWER + 2) : undefined };
}

/** Of a deal message of version 2 keccak(keccak(public) ‖ keccak(private)), so that one part proves itself without the other. */
export function payloadHashOf(kind: Kind, payload: Uint8Array): Uint8Array {
  return hasPublicPart(kind) ? twoPartHash(partsOf(kind, payload)) : keccak256(payload);
}

/** The public part of a payload, and the hash of what follows it. */
export function partsOf(kind: Kind, payload: Uint8Array): ShownParts {
  const end = publicLengthOf(kind);
  return { publicPart: payload.subarray(0, end), privateHash: keccak256(payload.subarray(end)) };
}

function twoPartHash({ publicPart, privateHash }: ShownParts): Uint8Array {
  return keccak256(keccak256(publicPart), privateHash);
}

/** Whether these are the parts of the payload that was hashed. */
export function partsMatch(parts: ShownParts, payloadHash: Uint8Array): boolean {
  return equalBytes(twoPartHash(parts), payloadHash);
}

function payerIn(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(AT_PAYER, AT_ANSWER);
}
