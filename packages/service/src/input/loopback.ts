/** Whether an address of a connection is this machine's own, also if IPv6 carries an IPv4 address. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const bare = address.toLowerCase().replace(/%.*$/, '');
  if (bare === '::1' || bare === '0:0:0:0:0:0:0:1') return true;
  return (
    /^(?:(?:::|0:0:0:0:0:)ffff:)?127(?:\.\d{1,3}){3}$/.test(bare) ||
    /^(?:::|0:0:0:0:0:)ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(bare)
  );
}

/** Whether a host, as URLs and settings have it, is this machine alone. A name below `localhost` may be resolved by a DNS server. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'));
}
