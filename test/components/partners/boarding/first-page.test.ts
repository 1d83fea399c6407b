import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../rigs/partners/failure.js';
import { clientOf, recordingServer, responding } from '../../../rigs/partners/servers.js';

const NOTE = '{"text":"Send a voided check","author":"uw","date":"2026-01-31T10:00:00Z"}';

async function notesFrom(around: string, headers: Record<string, string> = {}) {
  const body = `{"data":[${NOTE}],"status":"OK","error":null,"validationResults":[],"requestId":1${around}}`;
  const { url } = await recordingServer(responding(200, body, headers));
  return clientOf(url).getUnderwritingNotes({ id: 1 });
}

describe('a list that is only a page', () => {
  it.each([
    ['totalCount', ',"totalCount":2'],
    ['TotalCount', ',"TotalCount":"2"'],
    ['total_records', ',"total_records":2'],
    ['hasNextPage', ',"totalCount":1,"hasNextPage":true'],
    ['next', ',"next":"https://partner.example.com/notes?page=2"'],
    ['pagination.totalPages', ',"pagination":{"page":1,"totalPages":2}'],
    ['pageInfo.hasMore', ',"pageInfo":{"hasMore":true}'],
  ])('is unreadable, and names the sign %s', async (sign, around) => {
    expect((await failureOf(notesFrom(around))).details).toMatchObject({
      kind: 'Uncertain',
      reason: 'unreadable response',
      unreadable: 'get-underwriting-notes',
      fields: [{ field: '', message: `the list is only a page of a longer one (${sign})` }],
    });
  });

  it.each([
    ['Link', { link: '<https://partner.example.com/notes?page=2>; rel="next"' }],
    ['X-Total-Count', { 'x-total-count': '2' }],
  ])('is unreadable by the header %s', async (name, headers) => {
    const message = `the list is only a page of a longer one (header ${name})`;
    expect((await failureOf(notesFrom('', headers))).details).toMatchObject({ fields: [{ message }] });
  });
});

describe('a list whose total is what came', () => {
  it.each([
    [',"totalCount":1,"hasNextPage":false'],
    [',"total":0'],
    [',"pages":1,"next":null,"nextCursor":""'],
    [',"pagination":{"page":1,"totalPages":1}'],
    [',"page":7,"links":[]'],
  ])('is read, with %s', async (around) => {
    expect(await notesFrom(around, { link: '<https://partner.example.com/>; rel="self"' })).toEqual([
      { text: 'Send a voided check', author: 'uw', date: '2026-01-31T10:00:00Z' },
    ]);
  });
});
