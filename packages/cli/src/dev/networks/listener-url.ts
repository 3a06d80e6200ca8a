/** The URL of a listener; one that means all interfaces is called on the loopback. */
export function urlOfListener(address: string): string {
  if (/^(unix:|https?:\/\/)/i.test(address)) return address;
  return `http://${address.replace(/^(0\.0\.0\.0|\[::\])?(?=:\d+$)/, '127.0.0.1')}`;
}
