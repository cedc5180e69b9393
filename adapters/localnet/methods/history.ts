import { Options, signature } from '../params.ts';
import type { RpcMethods } from '../rpc.ts';
import { RPC_CODES, RpcError } from '../rpc-error.ts';
import { TRANSACTION_ENCODINGS, transactionJson } from '../transaction-json.ts';
import { decodeTransaction } from '../wire.ts';

const MAX_STATUSES = 256;
const MAX_PAGE = 1000;
/** Statuses are told of every block that the node has seen. */
const NEWEST = new Options({ commitment: 'processed' }, 'options');

/** A view without faults has one commitment only: what has landed is final at once. */
export const historyMethods: RpcMethods = {
  getSignatureStatuses(params, { read }) {
    const isDeep = params.options(1).flag('searchTransactionHistory');
    const signatures = params.list(0, MAX_STATUSES, signature);
    const reading = read(NEWEST);
    return reading.context(signatures.map((of) => reading.status(of, isDeep)));
  },

  getTransaction(params, { read }) {
    const given = params.value(1);
    const options = new Options(typeof given === 'string' ? { encoding: given } : given, 'params[1]');
    const encoding = options.oneOf('encoding', TRANSACTION_ENCODINGS, 'json');
    const landed = read(options).landed(params.signature(0));
    if (!landed) return null;
    const { version } = decodeTransaction(Buffer.from(landed.bytes, 'base64')).message;
    const newest = options.has('maxSupportedTransactionVersion')
      ? options.integer('maxSupportedTransactionVersion', 0, 255)
      : -1;
    if (version !== 'legacy' && version > newest) throw unsupported(version);
    return transactionJson(landed, encoding);
  },

  getSignaturesForAddress(params, { read }) {
    const options = params.options(1);
    const limit = options.integer('limit', 1, MAX_PAGE, MAX_PAGE);
    const before = options.has('before') ? options.signature('before') : undefined;
    const until = options.has('until') ? options.signature('until') : undefined;
    const reading = read(options);
    return reading.ofAddress(params.address(0), limit, before, until).map((entry) => ({
      signature: entry.signature,
      slot: entry.slot,
      err: entry.err,
      memo: entry.memo,
      blockTime: entry.blockTime,
      confirmationStatus: reading.isFinal(entry) ? 'finalized' : 'confirmed',
    }));
  },
};

function unsupported(version: number): RpcError {
  return new RpcError(
    RPC_CODES.unsupportedVersion,
    `Transaction version (${version}) is not supported by the requesting client. ` +
      `Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}
