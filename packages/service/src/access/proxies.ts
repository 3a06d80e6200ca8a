import type { IncomingHttpHeaders } from 'node:http';
import { BlockList } from 'node:net';
import type { Access } from './access.ts';
import { findPeer } from './peer.ts';

const LOOPBACK = '127.0.0.1';

/** Proxies in front of a listener, all of them our own, that add the address of their client to `X-Forwarded-For`. */
export class Proxies {
  readonly #count: number;
  readonly #isAny: boolean;
  readonly #networks = new BlockList();

  constructor({ proxyCount, trustedProxies }: Pick<Access, 'proxyCount' | 'trustedProxies'>) {
    this.#count = proxyCount;
    this.#isAny = trustedProxies.includes('*');
    for (const network of trustedProxies.filter((each) => each !== '*')) {
      const [address = '', prefix = 128] = network.split('/');
      const isV6 = address.includes(':');
      // Peers are the first half of their address.
      this.#networks.addSubnet(address, Math.min(Number(prefix), isV6 ? 64 : 32), isV6 ? 'ipv6' : 'ipv4');
    }
  }

  /** @param peer As `findPeer` names it; `local` is a client of a unix socket. */
  includes(peer: string): boolean {
    if (this.#count === 0 || this.#isAny) return this.#count > 0;
    const address = peer === 'local' ? LOOPBACK : peer.replace(/\/64$/, '');
    return this.#networks.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  }

  /**
   * Address of the client that made a request, for limits: each entry of the header is believed if the one behind it is a proxy.
   *
   * @param peer Address at the other end of the connection.
   */
  clientOf({ 'x-forwarded-for': header }: IncomingHttpHeaders, peer: string): string {
    if (this.#count === 0 || header === undefined) return peer;
    const forwarded = [header].flat().join(',').split(',');
    let client = peer;
    for (let hop = 1; hop <= this.#count && this.includes(client); hop += 1) {
      const before = findPeer(forwarded.at(-hop)?.trim());
      if (before === undefined) break;
      client = before;
    }
    return client;
  }
}
