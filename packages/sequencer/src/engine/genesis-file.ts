import { accountIdFromPublicKey, formatRfc3339, parseRfc3339 } from '@switchyard/protocol';
import { type ExactJson, exactJsonText, readJsonFile, toJson } from '@switchyard/service';
import {
  all,
  Input,
  list,
  type Members,
  mapped,
  object,
  optional,
  parser,
  type Read,
  shortText,
  text,
  unsigned,
} from '@switchyard/service/input';
import type { ConsensusParams, Genesis } from '../app/types.ts';
import type { GenesisFile } from './engine.ts';
import { ED25519_PUBLIC_KEY } from './validator-key.ts';

const INT64_MAX = (1n << 63n) - 1n;
/** Largest block that CometBFT 0.38 accepts. */
export const MAX_BLOCK_BYTES = 104_857_600n;
const MAX_CHAIN_ID_LENGTH = 50;

/**
 * Reads a CometBFT genesis document. Keys that CometBFT does not know are ignored, as CometBFT does; `app_state` is left
 * for the application.
 *
 * @param file Source of the text, for the messages.
 * @throws {InvalidConfig} naming every mistake with its place.
 */
export function parseGenesisFile(source: string, file: string): GenesisFile {
  const [read, { appState }] = readJsonFile(source, file, all(genesisDocument, record({ app_state: asWritten })));
  const genesis: Genesis = {
    chainId: read.chainId,
    time: read.genesisTime,
    initialHeight: read.initialHeight === 0n ? 1n : read.initialHeight,
    consensusParams: read.consensusParams,
    validators: read.validators.map(({ pubKey, power }) => ({ publicKey: pubKey, power })),
    appState: new TextEncoder().encode(exactJsonText(appState ?? {})),
  };
  // Served to clients whose numbers are doubles: from 2^53 on in quotes, which readers of protobuf's JSON take as well.
  const served: unknown = appState === undefined ? undefined : JSON.parse(toJson(appState));
  return { genesis, json: renderDocument(genesis, read.validators, read.appHash, served) };
}

/** Keys exactly as CometBFT writes them. */
const record = <M extends Members>(members: M) => object(members, { exact: true });

/** The engine does not read it. */
// A document is read by `readJsonFile`, so every value in it is exact JSON.
const asWritten = (input: Input) => input.value as ExactJson | undefined;

const int64: Read<bigint> = (input) => input.big(-INT64_MAX, INT64_MAX);
const positive: Read<bigint> = (input) => input.big(1n, INT64_MAX);

const hex = parser('hexadecimal digits, two for each byte', '', (value) => {
  if (!/^([0-9a-fA-F]{2})*$/.test(value)) throw new Error('not hexadecimal');
  return value.toUpperCase();
});

const publicKey: Read<Uint8Array> = (input) => {
  const type = input.at('type');
  if (type.text() !== ED25519_PUBLIC_KEY) type.fail(ED25519_PUBLIC_KEY);
  const value = input.at('value');
  const bytes = Buffer.from(value.text(), 'base64');
  return bytes.length === 32 ? new Uint8Array(bytes) : value.fail('32 bytes in base64', `${bytes.length} bytes`);
};

const validator = mapped(
  record({
    address: optional(hex, ''),
    pub_key: publicKey,
    power: positive,
    name: optional(text, ''),
  }),
  ({ pubKey, power, name, address: written }, input) => {
    const address = accountIdFromPublicKey(pubKey).toUpperCase();
    if (written !== '' && written !== address) input.at('address').fail(`${address}, the address of the key`);
    return { address, pubKey, power, name };
  },
);

const maxBytes: Read<bigint> = (input) => {
  const bytes = int64(input);
  const isWithin = bytes === -1n || (bytes > 0n && bytes <= MAX_BLOCK_BYTES);
  return isWithin ? bytes : input.fail(`1 to ${MAX_BLOCK_BYTES}, or -1 for the most`);
};

/** Absent values are CometBFT's defaults, of an absent part too. */
function part<M extends Members>(members: M) {
  const read = record(members);
  return optional(read, read(new Input({}, '')));
}

const consensusParams = record({
  block: part({ max_bytes: optional(maxBytes, 22_020_096n), max_gas: optional(int64, -1n) }),
  evidence: part({
    max_age_num_blocks: optional(positive, 100_000n),
    max_age_duration: optional(positive, 172_800_000_000_000n),
    max_bytes: optional(int64, 1_048_576n),
  }),
  validator: part({ pub_key_types: optional(list(text), ['ed25519']) }),
  version: part({ app: optional(unsigned(64), 0n) }),
  abci: part({ vote_extensions_enable_height: optional(unsigned(64), 0n) }),
});

const genesisDocument = record({
  genesis_time: parser('a time such as 2025-01-01T00:00:00Z', '', (value) => {
    const time = parseRfc3339(value);
    if (time === undefined) throw new Error('not a time');
    return time;
  }),
  chain_id: shortText(MAX_CHAIN_ID_LENGTH),
  initial_height: optional((input) => input.big(0n, INT64_MAX), 0n),
  consensus_params: optional(consensusParams, consensusParams(new Input({}, ''))),
  validators: optional(list(validator), []),
  app_hash: optional(hex, ''),
});

/** Reads the output of `renderConsensusParams`. */
export function parseConsensusParams(value: unknown): ConsensusParams {
  return consensusParams(new Input(value, 'consensus_params'));
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

/** Renders the parameters as the genesis file and the RPC spell them. */
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
