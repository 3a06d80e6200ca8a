import { type DescMethod, fromBinary, fromJsonString } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Compression } from '@connectrpc/connect/protocol';

export interface BodyCheck {
  readonly method: DescMethod;
  readonly header: Headers;
  readonly maxMessageBytes: number;
  readonly compressions: readonly Compression[];
  /** Resolves when there is memory for a long message. */
  readonly whenRoom: () => Promise<void>;
  /** Resolves when a long message may be worked on. */
  readonly turn: () => Promise<void>;
}

/** Messages up to this are read and answered as they come. */
export const LONG_BYTES = 65_536;

/** Flags and length before each message of gRPC, gRPC-web and streams of Connect. */
const PREFIX = 5;
const COMPRESSED = 1;

/**
 * The body of a call that takes one message, once it is certain that the message can be decoded. Connect reports a message
 * that cannot as an error of the server; here it is one of the client, and so is everything else that it sent wrong.
 *
 * @throws {ConnectError} while the body is read.
 */
export async function* checkedBody(body: AsyncIterable<Uint8Array>, check: BodyCheck): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    if (length <= LONG_BYTES && length + piece.length > LONG_BYTES) await check.whenRoom();
    length += piece.length;
    // Too long: Connect refuses it, with its own message.
    if (length > PREFIX + check.maxMessageBytes) {
      yield* pieces;
      yield piece;
      yield* body;
      return;
    }
    pieces.push(piece);
  }
  if (length > LONG_BYTES) await check.turn();
  const whole = Buffer.concat(pieces);
  await checkBody(whole, check);
  yield whole;
}

async function checkBody(body: Uint8Array, check: BodyCheck): Promise<void> {
  const type = check.header.get('content-type')?.toLowerCase() ?? '';
  const isJson = /[/+]json\b/.test(type);
  if (/^application\/(?:proto|json)\b/.test(type)) {
    return checkMessage(body, isJson, check.header.get('content-encoding'), check);
  }
  // Connect reports an incomplete message, as the client's error.
  if (body.length < PREFIX) return;
  const stated = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(1);
  const message = body.subarray(PREFIX, PREFIX + stated);
  if (message.length < stated) return;
  const isCompressed = ((body[0] ?? 0) & COMPRESSED) !== 0;
  const encoding = check.header.get(
    type.startsWith('application/connect') ? 'connect-content-encoding' : 'grpc-encoding',
  );
  if (isCompressed && (encoding === null || encoding === 'identity')) {
    throw new ConnectError('the message is compressed, though no compression was agreed on', Code.InvalidArgument);
  }
  return checkMessage(message, isJson, isCompressed ? encoding : null, check);
}

async function checkMessage(
  bytes: Uint8Array,
  isJson: boolean,
  encoding: string | null,
  { method: { input }, maxMessageBytes, compressions }: BodyCheck,
): Promise<void> {
  const compression = compressions.find(({ name }) => name === encoding);
  if (encoding !== null && encoding !== 'identity' && compression === undefined) return;
  const plain = compression === undefined ? bytes : await compression.decompress(bytes, maxMessageBytes);
  try {
    if (isJson) fromJsonString(input, new TextDecoder().decode(plain), { ignoreUnknownFields: true });
    else fromBinary(input, plain);
  } catch (error) {
    throw new ConnectError(`not an encoded ${input.typeName}`, Code.InvalidArgument, undefined, undefined, error);
  }
}
