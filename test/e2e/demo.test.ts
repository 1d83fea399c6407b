import { expect, it } from 'vitest';
import { run } from '../rigs/processes.js';

it('the demo onboards everyone as their scenarios require, shows it in a table, and leaves nothing running', async () => {
  const { code, stdout, stderr } = await run(process.execPath, ['dist/demo.js'], {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const table = stdout.slice(stdout.indexOf('WORKFLOW  ')).split('\n');
  const row = (id: string) => table.find((line) => line.startsWith(`${id} `)) ?? '';
  const mid = '5180\\d{11}';
  const url = 'http:\\/\\/127\\.0\\.0\\.1:\\d+\\/namespaces\\/';
  for (const merchant of ['corner-bakery', 'harbor-books', 'city-garage', 'river-cafe']) {
    expect(row(`merchant-boarding-${merchant}`)).toMatch(
      new RegExp(` boarded +${mid} +- +\\d+ +\\d+ +${url}`),
    );
  }
  expect(row('merchant-boarding-night-market')).toMatch(/ declined +- +- +\d+ +\d+ /);
  expect(row('business-onboarding-pixel-prints')).toMatch(/ onboarded +- +- +\d+ +\d+ /);
  expect(row('business-onboarding-midnight-arcade')).toMatch(/ declined +- +- +\d+ +\d+ /);
  for (const customer of ['juniper-tea', 'lantern-bistro', 'maple-deli']) {
    expect(row(`customer-onboarding-${customer}`)).toMatch(
      new RegExp(` onboarded +${mid} +fa-\\d+-1 +\\d+ +\\d+ +${url}`),
    );
  }
  expect(stdout).toMatch(/terminal-provisioning-maple-deli +provisioned$/m);
  const uiUrl = /Web UI +(\S+)/.exec(stdout)?.[1] ?? '';
  await expect(fetch(uiUrl)).rejects.toThrow();
}, 400_000);
