import type { HistoryEntry } from '../history.ts';
import { Options, signature } from '../params.ts';
import { type RpcMethods, withContext } from '../rpc.ts';
import { RPC_CODES, RpcError } from '../rpc-error.ts';
import { TRANSACTION_ENCODINGS, transactionJson } from '../transaction-json.ts';
import { decodeTransaction } from '../wire.ts';

const MAX_STATUSES = 256;
const MAX_PAGE = 1000;

/** Every commitment is the same here: what has landed is final at once. */
export const historyMethods: RpcMethods = {
  getSignatureStatuses(params, { chain }) {
    const signatures = params.list(0, MAX_STATUSES, signature);
    return withContext(
      chain,
      signatures.map((of) => statusJson(chain.history.get(of))),
    );
  },

  getTransaction(params, { chain }) {
    const given = params.value(1);
    const options = new Options(typeof given === 'string' ? { encoding: given } : given, 'params[1]');
    const encoding = options.oneOf('encoding', TRANSACTION_ENCODINGS, 'json');
    const landed = chain.history.landed(params.signature(0));
    if (!landed) return null;
    const { version } = decodeTransaction(Buffer.from(landed.bytes, 'base64')).message;
    if (version !== 'legacy' && !options.has('maxSupportedTransactionVersion')) {
      throw new RpcError(
        RPC_CODES.unsupportedVersion,
        `Transaction version (${version}) is not supported by the requesting client. ` +
          'Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
      );
    }
    return transactionJson(landed, encoding);
  },

  getSignaturesForAddress(params, { chain }) {
    const options = params.options(1);
    const limit = options.integer('limit', 1, MAX_PAGE, MAX_PAGE);
    const before = options.has('before') ? options.signature('before') : undefined;
    const until = options.has('until') ? options.signature('until') : undefined;
    return chain.history.ofAddress(params.address(0), limit, before, until).map((entry) => ({
      signature: entry.signature,
      slot: entry.slot,
      err: entry.err,
      memo: entry.memo,
      blockTime: entry.blockTime,
      confirmationStatus: 'finalized',
    }));
  },
};

function statusJson(entry: HistoryEntry | undefined): object | null {
  if (!entry) return null;
  const { slot, err } = entry;
  return { slot, confirmations: null, err, status: err ? { Err: err } : { Ok: null }, confirmationStatus: 'finalized' };
}
