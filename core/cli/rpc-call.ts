const TIMEOUT_MS = 15_000;

/** The URL may carry a key, so that only its host is told. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** One call of a Solana RPC node; what is thrown says which host did what, and after a silence `instead`. */
export async function callRpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  instead = 'Check its address.',
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(() => {
    throw new Error(`Nothing answers at ${hostOf(url)}. ${instead}`);
  });
  const answer = (await response.json().catch(() => undefined)) as
    | { result?: unknown; error?: { message?: unknown } }
    | undefined;
  const refusal = answer?.error?.message;
  if (typeof refusal === 'string') throw new Error(`${hostOf(url)} refuses ${method}: ${refusal.slice(0, 300)}`);
  if (answer?.result === undefined || answer.result === null) {
    throw new Error(
      `${hostOf(url)} is no Solana RPC node: ${method} was answered with HTTP status ${response.status}.`,
    );
  }
  return answer.result;
}
