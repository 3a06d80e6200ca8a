import { connect, createServer, type Server } from 'node:net';

/** Tag of `prepare_proposal` in a response of the application. */
const PREPARED = [0x8a, 0x01] as const;
/** Tag and length of an entry of 32 bytes, which is what the first one, a root, has. */
const ROOT_HEAD = [0x0a, 0x20] as const;

/**
 * Stands between a CometBFT and its application and makes the node a liar: in every block that it proposes the root over
 * the rollups' data is a wrong one. Its own votes stay honest, as the application decides them.
 */
export async function faultyProposer(
  outside: string,
  inside: string,
): Promise<Server & { readonly lies: () => number }> {
  let lies = 0;
  const server = createServer((comet) => {
    const app = connect(inside);
    comet.pipe(app);
    app.on('data', (chunk: Uint8Array) => {
      // An empty block's answer is short and comes on its own: the length before it, the tag, its length, the entries.
      const bytes = Buffer.from(chunk);
      for (let at = 1; at <= 5; at += 1) {
        if (bytes[at] !== PREPARED[0] || bytes[at + 1] !== PREPARED[1]) continue;
        const root = bytes.indexOf(Buffer.from(ROOT_HEAD), at + 2) + ROOT_HEAD.length;
        bytes[root] = (bytes[root] ?? 0) ^ 1;
        lies += 1;
        break;
      }
      comet.write(bytes);
    });
    for (const socket of [comet, app]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        comet.destroy();
        app.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(outside, resolve));
  return Object.assign(server, { lies: () => lies });
}
