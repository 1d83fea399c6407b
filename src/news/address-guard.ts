import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A receiver is at an address of our own network, where nobody outside may send us. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor() {
    super('the receiver is at a private address');
  }
}

/**
 * Whether news may go to an IP address: public ones, and loopback where that was chosen. Addresses that carry another
 * one inside (IPv4 in IPv6, NAT64) do not count as public.
 */
export function isAllowed(address: string, toLoopback: boolean): boolean {
  const range = ipaddr.process(address).range();
  return range === 'unicast' || (range === 'loopback' && toLoopback);
}

/**
 * Looks names up and refuses those that lead to a forbidden address. The check is on the very address that is connected
 * to, so a name cannot change its mind in between.
 */
export function guardedLookup(toLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (addresses.some(({ address }) => !isAllowed(address, toLoopback)))
        return callback(new ForbiddenAddress(), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}
