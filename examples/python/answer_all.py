"""Answers every underwriting note that waits, with two workers in parallel, and none of them twice. See docs/api.md.

API_URL=http://127.0.0.1:8082 API_TOKEN=... python3 answer_all.py
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from gangway_client import AuthenticatedClient
from gangway_client.api.default import answer_requirement, claim_requirement, list_requirements
from gangway_client.models import AnswerRequest, AnswerText, ClaimRequest, ListRequirementsKind, Problem

NOTE = ListRequirementsKind.UNDERWRITING_NOTE
CONFLICT = 409


def waiting(client):
    """The notes that nobody has claimed, from all pages."""
    page = {}
    while page is not None:
        found = list_requirements.sync(client=client, kind=NOTE, claimed=False, limit=200, **page)
        if isinstance(found, Problem):
            sys.exit(f"{found.title}: {found.detail}")
        yield from found.requirements
        page = {"cursor": found.next_} if found.next_ else None


def answered(client, row, person):
    """Claims a note and answers it. False if a colleague was faster."""
    claim = claim_requirement.sync(row.workflow_id, row.id, client=client, body=ClaimRequest(person=person))
    if isinstance(claim, Problem):
        if claim.status == CONFLICT:
            return False
        sys.exit(f"{claim.title}: {claim.detail}")
    body = AnswerRequest(AnswerText("text", "One sale in ten."), "asked the merchant", person)
    # The key is the same each time, so a lost response does no harm.
    answer = answer_requirement.sync(
        row.workflow_id, row.id, client=client, body=body, idempotency_key=f"answer-{row.id}"
    )
    if isinstance(answer, Problem) and answer.status != CONFLICT:
        sys.exit(f"{answer.title}: {answer.detail}")
    return not isinstance(answer, Problem)


def work(person):
    """Answers until nothing waits. @returns the IDs"""
    with AuthenticatedClient(os.environ["API_URL"].removesuffix("/v1"), os.environ["API_TOKEN"]) as client:
        done = []
        while rows := [row for row in waiting(client) if (row.workflow_id, row.id) not in done]:
            fresh = [(row.workflow_id, row.id) for row in rows if answered(client, row, person)]
            done += fresh or [(row.workflow_id, row.id) for row in rows]
            for workflow_id, requirement in fresh:
                print(workflow_id, requirement, person, flush=True)


with ThreadPoolExecutor() as workers:
    list(workers.map(work, ["Ada Park", "Ben Reader"]))
