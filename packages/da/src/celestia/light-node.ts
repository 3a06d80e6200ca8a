/** A light node of Celestia over JSON-RPC: calls, bounds, and the meaning of its errors. Nothing that it answers is believed here. */
import { stat } from 'node:fs/promises';
import { Rejected } from '@switchyard/protocol';
import {
  type ExtendedHeader,
  extendedHeaderFromJson,
  type Namespace,
  type NamespaceRow,
  namespaceBytes,
  namespaceRowsFromJson,
} from '@switchyard/protocol/celestia';
import {
  AnswerTooLong,
  httpPost,
  InvalidConfig,
  isTransportFailure,
  JsonRpcError,
  jsonRpcClient,
  type Links,
  linkedPost,
  RPC,
  readTextFile,
  TimedOut,
} from '@switchyard/service';
import { Input, InvalidData } from '@switchyard/service/input';
import { quoted } from '@switchyard/storage/damaged';
import { DaUnavailable } from '../layer.ts';

export interface LightNodeOptions {
  readonly url: string;
  /** A file is read for each call, so that a token can be replaced while the process runs. */
  readonly token?: TokenFile | { readonly text: string } | undefined;
  /** Timeout of one call for shares, for which a node looks up to two minutes before it gives up. */
  readonly timeoutMs?: number;
  /** Bound of one answer. */
  readonly maxAnswerBytes?: number;
  /** Layers of this process, which are called without a connection. They want no token. */
  readonly links?: Links | undefined;
}

export interface TokenFile {
  readonly file: string;
  readonly setting: string;
}

const TIMEOUT_MS = 150_000;
/** Timeout of a call for a header. Nothing else notices a peer that went away with its machine in the middle of it. */
const HEADER_TIMEOUT_MS = 20_000;
/** All shares of the largest block in base64, and their proofs. */
const MAX_ANSWER_BYTES = 64 * 1_048_576;
const MAX_TOKEN_BYTES = 8_192;
const MAX_CHAIN_ID = 50;

/** All calls throw {@link DaUnavailable}, `Rejected` for answers that cannot be right, or an `Error` if settings are to be corrected. */
export interface LightNode {
  networkHead(signal: AbortSignal): Promise<{ readonly chainId: string; readonly height: bigint }>;
  /** Resolves when the node has the height; absent if it cannot wait. */
  waitFor?(height: bigint, signal: AbortSignal): Promise<void>;
  header(height: bigint, signal: AbortSignal): Promise<ExtendedHeader>;
  namespaceData(height: bigint, namespace: Namespace, signal: AbortSignal): Promise<NamespaceRow[]>;
}

export function lightNode(options: LightNodeOptions): LightNode {
  const { url, token, timeoutMs = TIMEOUT_MS, maxAnswerBytes = MAX_ANSWER_BYTES, links } = options;
  const post = links === undefined ? httpPost : linkedPost(links);
  const client = (ms: number) =>
    jsonRpcClient(url, {
      timeoutMs: ms,
      maxResponseBytes: maxAnswerBytes,
      async post(to, body, given) {
        const headers = token && { authorization: `Bearer ${'text' in token ? token.text : await readToken(token)}` };
        const answer = await post(to, body, { ...given, ...(headers && { headers }) });
        if (answer.status === 401) throw new Refused(`the light node at ${url} does not accept the token`);
        return answer;
      },
    });
  const shares = client(timeoutMs);
  const headers = client(Math.min(timeoutMs, HEADER_TIMEOUT_MS));

  async function call<T>(method: string, params: object, read: (result: Input) => T, signal: AbortSignal): Promise<T> {
    try {
      const client = method.startsWith('header.') ? headers : shares;
      return read(new Input(await client.call(method, params, signal), method));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw getMeaning(error, url);
    }
  }

  return {
    networkHead: (signal) =>
      call(
        'header.NetworkHead',
        [],
        (result) => {
          const header = result.at('header');
          const chainId = header.at('chain_id').text();
          if (chainId.length > MAX_CHAIN_ID) header.at('chain_id').fail(`at most ${MAX_CHAIN_ID} characters`);
          return { chainId, height: header.at('height').big(1n, 2n ** 63n - 1n) };
        },
        signal,
      ),
    waitFor: (height, signal) => call('header.WaitForHeight', [Number(height)], () => undefined, signal),
    header: (height, signal) => call('header.GetByHeight', [Number(height)], extendedHeaderFromJson, signal),
    namespaceData: (height, namespace, signal) => {
      const encoded = Buffer.from(namespaceBytes(namespace)).toString('base64');
      return call('share.GetNamespaceData', [Number(height), encoded], namespaceRowsFromJson, signal);
    },
  };
}

/** Trying again does not help until settings are corrected. */
class Refused extends Error {}

/** Codes and texts tell cases apart only loosely, so everything may pass on its own except plain violations. */
function getMeaning(error: unknown, url: string): unknown {
  if (error instanceof JsonRpcError) {
    if (error.code === RPC.methodNotFound) {
      return new Error(`${url} is no light node of Celestia: ${error.message}`, { cause: error });
    }
    if (/missing permission/i.test(error.message)) {
      return new Error(`the light node at ${url} wants a token: ${error.message}`, { cause: error });
    }
    return new DaUnavailable(`the light node at ${url}: ${error.message}`, { cause: error });
  }
  // The client takes everything that fails below it for a failure of the connection.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Refused || cause instanceof InvalidConfig) return cause;
  }
  if (error instanceof TimedOut || isTransportFailure(error)) {
    return new DaUnavailable(`the light node at ${url}: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  if (error instanceof AnswerTooLong) return new Rejected('too-large', { node: url, problem: error.message });
  if (error instanceof InvalidData || error instanceof Error) {
    return error instanceof Rejected ? error : new Rejected('malformed', { node: url, problem: error.message });
  }
  return error;
}

async function readToken({ file, setting }: TokenFile): Promise<string> {
  const text = (await readTextFile(file, setting, 'a file with the token of a light node', MAX_TOKEN_BYTES)).trim();
  const { mode } = await stat(file);
  // Kubernetes lets the group of a pod read its mounts.
  if ((mode & 0o027) !== 0) {
    const got = `${file}: mode ${(mode & 0o777).toString(8)}`;
    const advice = `chmod 600 ${quoted(file)}`;
    throw new InvalidConfig({ variable: setting, expected: 'a file that not everybody can read', got, advice });
  }
  // It goes into a header.
  if (/^[\w.~+/=-]+$/.test(text)) return text;
  throw new InvalidConfig({
    variable: setting,
    expected: 'a file with one token',
    got: `${file}: other text`,
    advice: 'write there what `celestia light auth read` prints',
  });
}
