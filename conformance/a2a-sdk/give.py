"""`python give.py ADDRESS BINDING` with `{"token", "words"}` as JSON on standard input: reads the card at the address of an agent and checks its
signature, gives the agent a task in these words over the binding (JSONRPC or HTTP+JSON), reads the events to their end, asks for the task and lists the
tasks of its context. Prints what it saw as JSON. Nothing here speaks A2A itself: the package does."""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, create_client
from a2a.types import GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest, TaskState
from a2a.utils.signing import create_signature_verifier
from jwt.api_jwk import PyJWK

address, binding = sys.argv[1:]
given = json.load(sys.stdin)
keys_read = []


def key_of(kid, jku):
    """The key by which a card says that it is signed."""
    keys = httpx.get(jku).raise_for_status().json()["keys"]
    keys_read.append(jku)
    return PyJWK.from_dict(next(key for key in keys if key["kid"] == kid))


def words_of(artifacts):
    return [part.text for artifact in artifacts for part in artifact.parts]


async def main():
    headers = {"authorization": "Bearer " + given["token"]}
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        resolver = A2ACardResolver(http, address)
        card = await resolver.get_agent_card(signature_verifier=create_signature_verifier(key_of, ["EdDSA"]))
        client = await create_client(card, ClientConfig(httpx_client=http, supported_protocol_bindings=[binding]))
        message = Message(role=Role.ROLE_USER, message_id=str(uuid.uuid4()), parts=[Part(text=given["words"])])
        states, work, task_id, context_id = [], [], None, None
        async for event in client.send_message(SendMessageRequest(message=message)):
            if event.HasField("task"):
                task_id, context_id = event.task.id, event.task.context_id
                states.append(event.task.status.state)
                work += words_of(event.task.artifacts)
            elif event.HasField("status_update"):
                states.append(event.status_update.status.state)
            elif event.HasField("artifact_update"):
                work += words_of([event.artifact_update.artifact])
        task = await client.get_task(GetTaskRequest(id=task_id))
        listed = await client.list_tasks(ListTasksRequest(context_id=context_id))
    return {
        "name": card.name,
        "keys": keys_read,
        "states": [TaskState.Name(state) for state in states],
        "work": work,
        "task": {"id": task.id, "state": TaskState.Name(task.status.state), "work": words_of(task.artifacts)},
        "listed": [one.id for one in listed.tasks],
    }


print(json.dumps(asyncio.run(main())))
