/** The request that an agent token is made for. */
export interface TokenRequest {
  readonly audience: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: Uint8Array;
}
