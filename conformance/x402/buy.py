"""`python buy.py CLIENT URL RPC` with a secret key in base58 on standard input: buys at the URL as the page of the package shows it, and
prints the answer as JSON. CLIENT is `requests`, `httpx`, or `requests-v1` for a seller that offers version 1 alone."""

import asyncio
import json
import sys

from x402 import x402Client, x402ClientSync
from x402.http import decode_payment_response_header
from x402.http.clients.httpx import x402HttpxClient
from x402.http.clients.requests import x402HTTPAdapter, x402_requests
from x402.mechanisms.svm import KeypairSigner
from x402.mechanisms.svm.exact.register import register_exact_svm_client

client, url, rpc = sys.argv[1:]
signer = KeypairSigner.from_base58(sys.stdin.read().strip())


class WithoutVersion2(x402HTTPAdapter):
    """Hides the offer of version 2 from the package."""

    def build_response(self, request, answer):
        response = super().build_response(request, answer)
        response.headers.pop("payment-required", None)
        return response


def with_requests():
    buyer = register_exact_svm_client(x402ClientSync(), signer, rpc_url=rpc)
    session = x402_requests(buyer)
    if client == "requests-v1":
        session.mount("http://", WithoutVersion2(buyer))
    return session.get(url)


async def with_httpx():
    buyer = register_exact_svm_client(x402Client(), signer, rpc_url=rpc)
    async with x402HttpxClient(buyer, timeout=60) as http:
        response = await http.get(url)
        await response.aread()
        return response


response = asyncio.run(with_httpx()) if client == "httpx" else with_requests()
receipt = response.headers.get("payment-response") or response.headers.get("x-payment-response")
print(
    json.dumps(
        {
            "status": response.status_code,
            "body": response.json(),
            "receipt": receipt and decode_payment_response_header(receipt).model_dump(by_alias=True),
        }
    )
)
