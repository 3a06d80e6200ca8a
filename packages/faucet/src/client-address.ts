import { peerOf } from '@switchyard/service';

/**
 * Who asks, for limits.
 *
 * @param socket The address at the other end of the connection.
 * @param forwarded The header `X-Forwarded-For`: each proxy adds to its end the address that it was asked from.
 * @param proxies How many proxies stand in front, all of them our own. What comes before what they added is anybody's word.
 */
export function clientOf(socket: string | undefined, forwarded: string | undefined, proxies: number): string {
  const named = proxies === 0 ? undefined : forwarded?.split(',').at(-proxies)?.trim();
  return peerOf(named) ?? peerOf(socket) ?? 'unknown';
}
