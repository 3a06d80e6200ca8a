import type { Socket } from 'node:net';

/** About a hundred of the shortest requests; more than the header of most honest ones. */
const PIECE_BYTES = 4_096;

const releases = new WeakMap<object, () => void>();

/**
 * Has Node's HTTP parser take what is read from a connection in small pieces, and nothing after the connection was ended.
 *
 * Node reads 64 KiB at a time and parses all of it, whatever becomes of the connection meanwhile: close to two thousand
 * short requests, each of which is made into objects and then aborted with an error.
 *
 * @param socket One that an HTTP server has begun to serve.
 */
export function readInPieces(socket: Socket): void {
  const [parse, ...others] = socket.listeners('data');
  // A Node that reads in another way serves without this bound. http-listener.test.ts fails on it.
  if (parse === undefined || others.length > 0) return;
  let rest: Buffer = Buffer.alloc(0);
  let isReleased = false;
  const read = (chunk: Buffer): void => {
    for (rest = chunk; rest.length > 0 && !socket.destroyed && !isReleased; ) {
      const piece = rest.subarray(0, PIECE_BYTES);
      rest = rest.subarray(PIECE_BYTES);
      parse.call(socket, piece);
    }
  };
  socket.off('data', parse as (chunk: Buffer) => void);
  // Another listener makes Node give up its shortcut from the socket to the parser.
  socket.on('data', read);
  releases.set(socket, () => {
    isReleased = true;
    socket.off('data', read);
    // What follows belongs to whoever takes the connection over.
    if (rest.length > 0) socket.unshift(rest);
  });
}

/** The connection was upgraded: it is no longer read by the parser. */
export function releaseReading(socket: object): void {
  releases.get(socket)?.();
  releases.delete(socket);
}
