import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Subscribes over a WebSocket. @returns results that came, in their order, each with its kind. */
export async function listen(url: string, ...kinds: readonly string[]) {
  const socket = new WebSocket(url.replace('http', 'ws'));
  const names = new Map<string, string>();
  const seen: { readonly kind: string; readonly result: Record<string, unknown> }[] = [];
  socket.on('message', (text) => {
    const { id, result, params } = JSON.parse(String(text));
    if (id !== undefined) names.set(result, kinds[id] ?? '');
    else seen.push({ kind: names.get(params.subscription) ?? '', result: params.result });
  });
  await once(socket, 'open');
  for (const [id, kind] of kinds.entries()) {
    const params = kind === 'logs' ? [kind, {}] : [kind];
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
    await once(socket, 'message');
  }
  /** All that came until now: an answer on this connection comes after it. */
  const take = async () => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: -1, method: 'eth_chainId', params: [] }));
    await once(socket, 'message');
    while (!names.delete('0x7a69')) await once(socket, 'message');
    return seen.splice(0);
  };
  return { take, close: () => socket.close() };
}
