/** An error a JSON-RPC client sees; codes are those of a Solana node. */
export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailed: -32002,
  signatureFailed: -32003,
  blockCleanedUp: -32001,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
} as const;

export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Invalid params: ${message}`);
}
