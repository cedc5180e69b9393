// `node buy.js CLIENT URL RPC` with a secret key in base58 on standard input: buys at the URL as the pages of the packages show it, and
// prints the answer as JSON. CLIENT is `x402-fetch`, `@x402/fetch`, or `@x402/fetch-v1` for a seller that offers version 1 alone.
import { text } from 'node:stream/consumers';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmSchemeV1 } from '@x402/svm/v1';
import { createSigner, decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchOfVersion1 } from 'x402-fetch';

const NETWORK = 'solana-devnet';
const [client, url, rpcUrl] = process.argv.slice(2);
const secret = (await text(process.stdin)).trim();

const response = await (await buyerOf(client))(url);
const receipt = response.headers.get('payment-response') ?? response.headers.get('x-payment-response');
const decode = client === 'x402-fetch' ? decodeXPaymentResponse : decodePaymentResponseHeader;
const answer = { status: response.status, body: await response.json(), receipt: receipt && decode(receipt) };
process.stdout.write(JSON.stringify(answer));

async function buyerOf(client) {
  if (client === 'x402-fetch') {
    const signer = await createSigner(NETWORK, secret);
    return wrapFetchOfVersion1(fetch, signer, undefined, undefined, { svmConfig: { rpcUrl } });
  }
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(secret));
  if (client === '@x402/fetch')
    return wrapFetchWithPayment(fetch, new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl })));
  const older = new x402Client().registerV1(NETWORK, new ExactSvmSchemeV1(signer, { rpcUrl }));
  return wrapFetchWithPayment(withoutVersion2, older);
}

async function withoutVersion2(request) {
  const { status, headers: all, body } = await fetch(request);
  const headers = new Headers(all);
  headers.delete('payment-required');
  return new Response(body, { status, headers });
}
