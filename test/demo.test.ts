import { expect, it } from 'vitest';
import { run } from './processes.js';

it('the demo boards everyone as their scenarios say, shows it in a table, and leaves nothing running', async () => {
  const { code, stdout, stderr } = await run(process.execPath, ['dist/demo.js'], {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const table = stdout.slice(stdout.indexOf('MERCHANT')).split('\n');
  const row = (merchant: string) => table.find((line) => line.startsWith(merchant)) ?? '';
  for (const merchant of ['corner-bakery', 'harbor-books', 'city-garage', 'river-cafe']) {
    expect(row(merchant)).toMatch(/ boarded +5180\d{11} +\d+ +\d+ +http:\/\/127\.0\.0\.1:\d+\/namespaces\//);
  }
  expect(row('night-market')).toMatch(/ declined +- +\d+ +\d+ /);
  const uiUrl = /Web UI +(\S+)/.exec(stdout)?.[1] ?? '';
  await expect(fetch(uiUrl)).rejects.toThrow();
}, 120_000);
