import { isIP } from 'node:net';

/** Names that requests may be addressed to. */
export interface AllowedHosts {
  /** @param host As in the header: with a port or without. */
  includes(host: string): boolean;
}

/**
 * Loopback names, every IP address, the name that the listener is bound to, the machine's own name, and all listed names.
 * An IP address cannot be made to point elsewhere, so it needs no list, regardless of the interface that a process is bound to.
 *
 * @param listed Names without a port; `*.domain` covers all names below a domain, `*` every name.
 */
export function allowedHosts(listed: readonly string[], boundHost: string, machine: string): AllowedHosts {
  const names = new Set([boundHost, machine, ...listed].map(normalName));
  const suffixes = listed.filter((name) => name.startsWith('*.')).map((name) => normalName(name.slice(1)));
  const any = names.has('*');
  // Nearly all requests name the host that the one before named.
  let last: string | undefined;
  const check = (host: string): boolean => {
    const name = nameIn(host);
    if (name === undefined) return false;
    return (
      any ||
      isLoopbackName(name) ||
      isIP(name) !== 0 ||
      names.has(name) ||
      suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length)
    );
  };
  return {
    includes(host) {
      if (host === last) return true;
      const allowed = check(host);
      if (allowed) last = host;
      return allowed;
    },
  };
}

function isLoopbackName(name: string): boolean {
  // Browsers and resolvers keep everything below `localhost` on the machine (RFC 6761, section 6.3).
  return name === 'localhost' || name.endsWith('.localhost');
}

/** The name or address without its port; undefined for other text. */
function nameIn(host: string): string | undefined {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d{0,5})?$/i.exec(host)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  const name = /^([^\s:/@[\]]+)(?::\d{0,5})?$/.exec(host)?.[1];
  return name === undefined ? undefined : normalName(name);
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
