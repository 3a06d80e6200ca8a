import { accountIdFromPublicKey } from '@switchyard/protocol';
import {
  type ExactJson,
  exactInteger,
  exactJsonText,
  InvalidConfig,
  parseExactJson,
  toJson,
} from '@switchyard/service';
import {
  list,
  type Member,
  mapped,
  type ObjectOf,
  object,
  optional,
  type Problem,
  type Read,
  required,
  text,
  uint64,
} from '../app/strict-json.ts';
import type { ConsensusParams, Genesis } from '../app/types.ts';
import type { GenesisFile } from './engine.ts';
import { formatRfc3339, parseRfc3339 } from './rfc3339.ts';
import { ED25519_PUBLIC_KEY } from './validator-key.ts';

const INT64_MAX = (1n << 63n) - 1n;
/** What CometBFT 0.38 accepts as a block at most. */
export const MAX_BLOCK_BYTES = 104_857_600n;
const MAX_CHAIN_ID_LENGTH = 50;

/**
 * Reads a CometBFT genesis document. Keys that CometBFT does not know are ignored, as CometBFT does; `app_state` is left
 * for the application.
 *
 * @param file Where the text came from, for the messages.
 * @throws {InvalidConfig} naming every mistake with its place.
 */
export function parseGenesisFile(source: string, file: string): GenesisFile {
  let document: ExactJson;
  try {
    document = parseExactJson(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw invalid(file, [{ path: '', message: `not JSON: ${message}` }]);
  }
  const problems: Problem[] = [];
  const read = readDocument(document, '', problems);
  if (read === undefined || problems.length > 0) throw invalid(file, problems);

  const appState = appStateOf(document);
  const genesis: Genesis = {
    chainId: read.chainId,
    time: read.genesisTime,
    initialHeight: read.initialHeight === undefined || read.initialHeight === 0n ? 1n : read.initialHeight,
    consensusParams: paramsOf(read.consensusParams),
    validators: (read.validators ?? []).map(({ pubKey, power }) => ({ publicKey: pubKey, power })),
    appState: new TextEncoder().encode(exactJsonText(appState ?? {})),
  };
  // Served to clients whose numbers are doubles: from 2^53 on in quotes, which readers of protobuf's JSON take as well.
  const served: unknown = appState === undefined ? undefined : JSON.parse(toJson(appState));
  return { genesis, json: renderDocument(genesis, read.validators ?? [], read.appHash ?? '', served) };
}

/** Like `object`, for documents in which others may keep keys of their own. */
function lenient<M extends Readonly<Record<string, Member<unknown>>>>(members: M): Read<ObjectOf<M>> {
  const strict = object(members);
  const names = new Set(
    Object.keys(members).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  );
  return (value, path, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return strict(value, path, problems);
    return strict(Object.fromEntries(Object.entries(value).filter(([key]) => names.has(key))), path, problems);
  };
}

const int64: Read<bigint> = (value, path, problems) => {
  const number = exactInteger(value);
  if (number !== undefined && number <= INT64_MAX && number >= -INT64_MAX) return number;
  // What is read here was parsed as JSON, or is of that form.
  problems.push({ path, message: `expected a 64-bit integer, got ${exactJsonText(value as ExactJson)}` });
  return undefined;
};

const positive = mapped(int64, (value) => {
  if (value <= 0n) throw new Error(`expected a number above 0, got ${value}`);
  return value;
});

const hex = mapped(text, (value) => {
  if (!/^([0-9a-fA-F]{2})*$/.test(value)) throw new Error('expected hexadecimal digits');
  return value.toUpperCase();
});

const publicKey = mapped(lenient({ type: required(text), value: required(text) }), ({ type, value }) => {
  if (type !== ED25519_PUBLIC_KEY) throw new Error(`expected a key of type ${ED25519_PUBLIC_KEY}, got ${type}`);
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== 32) throw new Error(`expected 32 bytes in base64, got ${bytes.length} bytes`);
  return new Uint8Array(bytes);
});

const validator = mapped(
  lenient({ address: optional(hex), pubKey: required(publicKey), power: required(positive), name: optional(text) }),
  (entry) => {
    const address = accountIdFromPublicKey(entry.pubKey).toUpperCase();
    if (entry.address !== undefined && entry.address !== '' && entry.address !== address) {
      throw new Error(`the address does not belong to the key: expected ${address}, got ${entry.address}`);
    }
    return { address, pubKey: entry.pubKey, power: entry.power, name: entry.name ?? '' };
  },
);

const consensusParams = lenient({
  block: optional(lenient({ maxBytes: optional(int64), maxGas: optional(int64) })),
  evidence: optional(
    lenient({ maxAgeNumBlocks: optional(positive), maxAgeDuration: optional(positive), maxBytes: optional(int64) }),
  ),
  validator: optional(lenient({ pubKeyTypes: optional(list(text)) })),
  version: optional(lenient({ app: optional(uint64) })),
  abci: optional(lenient({ voteExtensionsEnableHeight: optional(uint64) })),
});

const readDocument = lenient({
  genesisTime: required(
    mapped(text, (value) => {
      const time = parseRfc3339(value);
      if (time === undefined)
        throw new Error(`expected a time such as 2025-01-01T00:00:00Z, got ${JSON.stringify(value)}`);
      return time;
    }),
  ),
  chainId: required(
    mapped(text, (value) => {
      const length = Buffer.byteLength(value);
      if (length > 0 && length <= MAX_CHAIN_ID_LENGTH) return value;
      throw new Error(`expected 1 to ${MAX_CHAIN_ID_LENGTH} bytes, got ${length}`);
    }),
  ),
  initialHeight: optional(
    mapped(int64, (value) => {
      if (value < 0n) throw new Error(`expected a height of 0 or more, got ${value}`);
      return value;
    }),
  ),
  consensusParams: optional(
    mapped(consensusParams, (value) => {
      const bytes = value.block?.maxBytes;
      if (bytes !== undefined && (bytes === 0n || bytes < -1n || bytes > MAX_BLOCK_BYTES)) {
        throw new Error(`block.max_bytes: expected 1 to ${MAX_BLOCK_BYTES}, or -1 for the most, got ${bytes}`);
      }
      return value;
    }),
  ),
  validators: optional(list(validator)),
  appHash: optional(hex),
});

/** Absent values are CometBFT's defaults. */
function paramsOf(params: ReturnType<typeof consensusParams>): ConsensusParams {
  return {
    block: { maxBytes: params?.block?.maxBytes ?? 22_020_096n, maxGas: params?.block?.maxGas ?? -1n },
    evidence: {
      maxAgeNumBlocks: params?.evidence?.maxAgeNumBlocks ?? 100_000n,
      maxAgeDuration: params?.evidence?.maxAgeDuration ?? 172_800_000_000_000n,
      maxBytes: params?.evidence?.maxBytes ?? 1_048_576n,
    },
    validator: { pubKeyTypes: params?.validator?.pubKeyTypes ?? ['ed25519'] },
    version: { app: params?.version?.app ?? 0n },
    abci: { voteExtensionsEnableHeight: params?.abci?.voteExtensionsEnableHeight ?? 0n },
  };
}

/** Reads what `renderConsensusParams` made. */
export function parseConsensusParams(value: unknown): ConsensusParams {
  const problems: Problem[] = [];
  const read = consensusParams(value, '', problems);
  if (read === undefined) throw new Error(`malformed consensus params: ${problems[0]?.path} ${problems[0]?.message}`);
  return paramsOf(read);
}

/** The caller has read the document as an object. */
function appStateOf(document: ExactJson): ExactJson | undefined {
  return typeof document === 'object' && document !== null && 'app_state' in document ? document.app_state : undefined;
}

function renderDocument(
  { time, chainId, initialHeight, consensusParams: params }: Genesis,
  validators: readonly {
    readonly address: string;
    readonly name: string;
    readonly pubKey: Uint8Array;
    readonly power: bigint;
  }[],
  appHash: string,
  appState: unknown,
): unknown {
  return {
    genesis_time: formatRfc3339(time),
    chain_id: chainId,
    initial_height: String(initialHeight),
    consensus_params: renderConsensusParams(params),
    ...(validators.length > 0 && {
      validators: validators.map(({ address, pubKey, power, name }) => ({
        address,
        pub_key: { type: ED25519_PUBLIC_KEY, value: Buffer.from(pubKey).toString('base64') },
        power: String(power),
        name,
      })),
    }),
    app_hash: appHash,
    ...(appState !== undefined && { app_state: appState }),
  };
}

/** As the genesis file and the RPC spell them. */
export function renderConsensusParams({ block, evidence, validator: keys, version, abci }: ConsensusParams): object {
  return {
    block: { max_bytes: String(block.maxBytes), max_gas: String(block.maxGas) },
    evidence: {
      max_age_num_blocks: String(evidence.maxAgeNumBlocks),
      max_age_duration: String(evidence.maxAgeDuration),
      max_bytes: String(evidence.maxBytes),
    },
    validator: { pub_key_types: keys.pubKeyTypes },
    version: { app: String(version.app) },
    abci: { vote_extensions_enable_height: String(abci.voteExtensionsEnableHeight) },
  };
}

function invalid(file: string, problems: readonly Problem[]): InvalidConfig {
  return new InvalidConfig(
    problems.map(({ path, message }) => ({
      variable: `${file}${path === '' ? '' : `: ${path.replace(/^\./, '')}`}`,
      expected: `a CometBFT genesis file (${message})`,
      advice: 'correct the file',
    })),
  );
}
