import { WebSocket } from 'ws';

/* Clients of `/v1/live` in a process of their own, so that the CPU time of the node is its own. They come from addresses of their own. */

const [url = '', count = '0', table = ''] = process.argv.slice(2);
const ADDRESSES = 20;
const follow = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'live_follow', params: [{ id: 1, table }] });
let [whole, rows] = [0, 0];

for (let index = 0; index < Number(count); index += 1) {
  const socket = new WebSocket(url, { localAddress: `127.0.0.${2 + (index % ADDRESSES)}` });
  socket.on('open', () => socket.send(follow));
  socket.on('error', (error) => {
    throw error;
  });
  socket.on('message', (data: Buffer) => {
    const text = data.toString('latin1');
    if (text.includes('"isWhole":true')) whole += 1;
    rows += text.split('"key":').length - 1;
  });
}

process.on('message', () => process.send?.({ whole, rows }));
process.on('disconnect', () => process.exit());
