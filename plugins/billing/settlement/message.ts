/** A message of the transfer service, version 2, as a burn on its source chain made it and the service attests it. */
export interface BurnMessage {
  readonly sourceDomain: number;
  readonly destinationDomain: number;
  /** 32 bytes, hex. */
  readonly nonce: string;
  readonly sender: string;
  readonly recipient: string;
  readonly destinationCaller: string;
  readonly minFinality: number;
  readonly finalityExecuted: number;
  readonly burnToken: string;
  readonly mintRecipient: string;
  readonly amount: bigint;
  readonly messageSender: string;
  readonly maxFee: bigint;
  readonly feeExecuted: bigint;
  readonly expirationBlock: bigint;
  /** Hex. */
  readonly hookData: string;
}

const BODY = 148;
const HOOK = BODY + 228;
const VERSION = 1;

/** Undefined for bytes that are no such message. All numbers are big-endian. */
export function readBurnMessage(bytes: Uint8Array): BurnMessage | undefined {
  if (bytes.length < HOOK) return undefined;
  const data = Buffer.from(bytes);
  if (data.readUInt32BE(0) !== VERSION || data.readUInt32BE(BODY) !== VERSION) return undefined;
  const word = (at: number) => data.toString('hex', at, at + 32);
  const number = (at: number) => BigInt(`0x${word(at)}`);
  return {
    sourceDomain: data.readUInt32BE(4),
    destinationDomain: data.readUInt32BE(8),
    nonce: word(12),
    sender: word(44),
    recipient: word(76),
    destinationCaller: word(108),
    minFinality: data.readUInt32BE(140),
    finalityExecuted: data.readUInt32BE(144),
    burnToken: word(BODY + 4),
    mintRecipient: word(BODY + 36),
    amount: number(BODY + 68),
    messageSender: word(BODY + 100),
    maxFee: number(BODY + 132),
    feeExecuted: number(BODY + 164),
    expirationBlock: number(BODY + 196),
    hookData: data.toString('hex', HOOK),
  };
}
