import { z } from 'zod';
import { anyAnswer } from '../answer-members.js';
import { text } from '../request-members.js';
import { location, terminal, terminals } from './answers.js';
import { missing, type PaymentsCatalogue } from './catalogue.js';
import { newLocation, newTerminal, page } from './requests.js';

const oneTerminal = { terminal_id: text };
const oneLocation = { location_id: text };

/** Terminals, and the locations where they are. */
export const PLACE_OPERATIONS = {
  listTerminals: {
    summary: 'Terminals, a page of them; those that fit `search`, if it is given',
    method: 'GET',
    path: '/v2/terminals',
    query: Object.keys(page),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(page),
    response: terminals,
  },
  createTerminal: {
    summary: 'Create a terminal with all that belongs to it',
    method: 'POST',
    path: '/v2/terminals',
    effect: 'once',
    provenance: 'assumed',
    request: newTerminal,
    response: terminal,
  },
  getTerminal: {
    summary: 'A terminal',
    method: 'GET',
    path: '/v2/terminals/{terminal_id}',
    failures: missing('terminal'),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(oneTerminal),
    response: terminal,
  },
  updateTerminal: {
    summary: 'Change members of a terminal',
    method: 'PUT',
    path: '/v2/terminals/{terminal_id}',
    failures: missing('terminal'),
    effect: 'idempotent',
    provenance: 'assumed',
    request: newTerminal.partial().extend(oneTerminal),
    response: terminal,
  },
  deleteTerminal: {
    summary: 'Delete a terminal',
    method: 'DELETE',
    path: '/v2/terminals/{terminal_id}',
    failures: missing('terminal'),
    effect: 'idempotent',
    irreversible: true,
    provenance: 'assumed',
    request: z.strictObject(oneTerminal),
    response: anyAnswer,
  },
  createLocation: {
    summary: 'Create a location',
    method: 'POST',
    path: '/v1/locations',
    effect: 'once',
    provenance: 'assumed',
    request: newLocation,
    response: location,
  },
  updateLocation: {
    summary: 'Change members of a location',
    method: 'PUT',
    path: '/v1/locations/{location_id}',
    failures: missing('location'),
    effect: 'idempotent',
    provenance: 'assumed',
    request: newLocation.partial().extend(oneLocation),
    response: location,
  },
  getLocation: {
    summary: 'A location',
    method: 'GET',
    path: '/v1/locations/{location_id}',
    failures: missing('location'),
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject(oneLocation),
    response: location,
  },
} as const satisfies PaymentsCatalogue;
