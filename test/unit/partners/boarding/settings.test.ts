import { describe, expect, it } from 'vitest';
import { boardingClient } from '../../../../src/partners/boarding/client.js';

describe('the URL of a partner', () => {
  const at = (url: string) => boardingClient({ url, username: 'u', password: 'p' });

  it.each([
    'https://partner.example.com',
    'https://10.0.0.7:8443/base',
    'http://127.0.0.1:4010',
    'http://127.200.3.4',
    'http://localhost:4010',
    'http://[::1]:4010',
  ])('may be %s', async (url) => {
    await expect(at(url).close()).resolves.toBeUndefined();
  });

  it.each([
    'http://partner.example.com',
    'http://10.0.0.7',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1@example.com',
    'http://not-localhost',
    'http://0.0.0.0',
    'http://[::2]',
    'ftp://127.0.0.1',
    'ws://127.0.0.1',
  ])('may not be %s: credentials would travel in the clear', (url) => {
    expect(() => at(url)).toThrow(new TypeError('a partner URL must be https (http only to loopback)'));
  });
});
