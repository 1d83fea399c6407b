"""Boards a merchant, answers the underwriters' two questions, and prints the mid. See docs/api.md.

API_URL=http://127.0.0.1:8082 API_TOKEN=... python3 onboard.py examples/merchant-notes.json examples/voided-check.txt
"""

import json
import os
import sys
import time
from pathlib import Path

from gangway_client import AuthenticatedClient
from gangway_client.api.default import (
    answer_requirement, get_onboarding, list_requirements, start_onboarding, store_document,
)
from gangway_client.models import (
    AnswerDocuments, AnswerDocumentsDocumentsItem, AnswerRequest, AnswerText, ListRequirementsKind, Problem,
    StartMerchant, StoreDocument,
)
from gangway_client.types import File

merchant, document = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
NOTE = ListRequirementsKind.UNDERWRITING_NOTE
client = AuthenticatedClient(os.environ["API_URL"].removesuffix("/v1"), os.environ["API_TOKEN"])


def done(result):
    """The result of a call, unless it is a problem."""
    if isinstance(result, Problem):
        sys.exit(f"{result.title}: {result.detail}")
    return result


def wait_for(read, timeout=120):
    """Reads every second, until there is something."""
    until = time.monotonic() + timeout
    while not (found := read()):
        if time.monotonic() > until:
            sys.exit(f"nothing within {timeout} seconds: has {onboarding} ended already?")
        time.sleep(1)
    return found


external_id = merchant.pop("externalId")
body = StartMerchant.from_dict({"type": "merchant", **merchant})
onboarding = done(start_onboarding.sync(external_id, client=client, body=body)).workflow_id


def notes():
    rows = done(list_requirements.sync(client=client, onboarding=onboarding, kind=NOTE)).requirements
    return len(rows) == 2 and rows


first, second = wait_for(notes)
stored = done(store_document.sync(client=client, body=StoreDocument(File(document.open("rb"), document.name))))
check = AnswerDocuments("documents", [AnswerDocumentsDocumentsItem.from_dict(stored.to_dict())])
for row, answer in [(first, check), (second, AnswerText("text", "One sale in ten."))]:
    body = AnswerRequest(answer, "asked the merchant", "Ada Park")
    done(answer_requirement.sync(onboarding, row.id, client=client, body=body, idempotency_key=row.id))
print(wait_for(lambda: done(get_onboarding.sync(onboarding, client=client)).mid))
