import { type AccountId, parseAddress, parseDenom } from '@switchyard/protocol';
import { list, parsed, type Read, RecordReader, type Report, record, string, unsigned } from '@switchyard/rollup';
import type { ExactRecord } from '@switchyard/service';
import { addressText, dataText, isRecord, uint } from './genesis-values.ts';
import type { Bridge } from './rules.ts';
import type { Address, Data } from './types.ts';

/** The part of a genesis file that stock clients do not know. */
export interface RollupSection {
  readonly rollupName: string;
  readonly sequencer: {
    readonly chainId: string;
    readonly addressPrefix: string;
    /** The sequencer height that block 1 is made from. */
    readonly startHeight: bigint;
  };
  readonly celestia: {
    /** Empty where there is none. */
    readonly chainId: string;
    readonly startHeight: bigint;
    readonly searchHeightMaxLookAhead: bigint;
  };
  /** Who gets the tips, from the block with this number on; sorted by it. Before the first: the zero address. */
  readonly feeRecipients: readonly { readonly from: bigint; readonly recipient: Address }[];
  /** Of every block but the first; at most 32 bytes. */
  readonly extraData: Data;
  readonly bridges: readonly Bridge[];
}

/** The section of `config` that describes the rollup; the reference's keys are read too. */
export function readRollupSection(config: ExactRecord, path: string, report: Report): RollupSection | undefined {
  const own = config.switchyard;
  if (own !== undefined) return ownSection(own, `${path}.switchyard`, report);
  if ('astriaRollupName' in config || 'astriaForks' in config) return referenceSection(config, path, report);
  return void report(`${path}.switchyard`, 'the section that names rollup, sequencer and bridge accounts, got nothing');
}

const ownSection: Read<RollupSection> = (value, path, report) =>
  record((reader) => ({ rollupName: reader.required('rollupName', NAME, string(64), ''), ...commonKeys(reader) }))(
    value,
    path,
    report,
  );

const NAME = 'text of 1 to 64 bytes';

function commonKeys(reader: RecordReader): Omit<RollupSection, 'rollupName'> {
  const sequencer = reader.required('sequencer', 'an object', readSequencer, NO_SEQUENCER);
  return {
    sequencer,
    celestia: reader.optional('celestia', readCelestia, NO_CELESTIA),
    feeRecipients: reader.optional(['feeRecipient', 'feeCollector'], readFeeRecipients, []),
    extraData: reader.optional(['extraData', 'extraDataOverride'], dataText(32), '0x'),
    bridges: reader.optional('bridgeAddresses', readBridges(sequencer.addressPrefix), []),
  };
}

const NO_SEQUENCER = { chainId: '', addressPrefix: 'astria', startHeight: 0n };
const NO_CELESTIA = { chainId: '', startHeight: 0n, searchHeightMaxLookAhead: 0n };

const readSequencer: Read<RollupSection['sequencer']> = record((reader) => ({
  chainId: reader.required('chainId', 'text of 1 to 50 bytes', string(50), ''),
  addressPrefix: reader.optional('addressPrefix', string(20), NO_SEQUENCER.addressPrefix),
  // Heights begin with 1, and the one before the first must be one too.
  startHeight: reader.required('startHeight', 'a number', uint(32, 1n), 1n),
}));

const readCelestia: Read<RollupSection['celestia']> = record((reader) => ({
  chainId: reader.optional('chainId', maybeEmpty, ''),
  startHeight: reader.optional('startHeight', unsigned(32), 0n),
  searchHeightMaxLookAhead: reader.optional('searchHeightMaxLookAhead', unsigned(64), 0n),
}));

const maybeEmpty: Read<string> = (value, path, report) => (value === '' ? '' : string(50)(value, path, report));

const readFeeRecipients: Read<RollupSection['feeRecipients']> = (value, path, report) => {
  if (!isRecord(value)) {
    const recipient = addressText(value, path, report);
    return recipient && [{ from: 1n, recipient }];
  }
  const recipients = Object.entries(value).flatMap(([key, entry]) => {
    const from = uint(63, 1n)(key, `${path}.${key.slice(0, 30)}`, report);
    const recipient = addressText(entry, `${path}.${key.slice(0, 30)}`, report);
    return from === undefined || recipient === undefined ? [] : [{ from, recipient }];
  });
  return recipients.sort((left, right) => (left.from < right.from ? -1 : 1));
};

function readBridges(prefix: string): Read<readonly Bridge[]> {
  return (value, path, report) => {
    const bridges = list(readBridge(prefix))(value, path, report) ?? [];
    const accounts = new Set(bridges.map(({ account }) => account));
    if (accounts.size < bridges.length) report(path, 'each bridge account once');
    return bridges;
  };
}

function readBridge(prefix: string): Read<Bridge> {
  const address = parsed<AccountId | undefined>(`a bech32m address that begins with ${prefix}1`, (text) =>
    parseAddress(text, prefix),
  );
  return (value, path, report) => {
    const bridge = record((reader) => {
      // Tokens other than the native coin would need a contract call, which no transaction of this chain makes.
      reader.optional('erc20Asset', onlyNull, undefined);
      // Meant for those calls.
      reader.optional('senderAddress', addressText, undefined);
      return {
        account: reader.required('bridgeAddress', 'a bech32m address', address, undefined),
        asset: reader.required('assetDenom', 'a denomination', denomination, ''),
        precision: Number(reader.required('assetPrecision', 'a number from 0 to 18', precision, 0n)),
      };
    })(value, path, report);
    return bridge?.account === undefined ? undefined : { ...bridge, account: bridge.account };
  };
}

const denomination = parsed('a denomination', (text) => {
  parseDenom(text);
  return text;
});

const precision: Read<bigint> = (value, path, report) => {
  const number = uint(8)(value, path, () => undefined);
  return number !== undefined && number <= 18n ? number : void report(path, 'a number from 0 to 18', value);
};

const onlyNull: Read<undefined> = (value, path, report) =>
  value === null ? undefined : void report(path, 'nothing: only native coins are bridged here', value);

/** `astriaRollupName` and `astriaForks` with one fork, which must say what this chain does anyway. */
const referenceSection: Read<RollupSection> = (config, path, report) => {
  if (!isRecord(config)) return undefined;
  const reader = new RecordReader(config, path, report);
  const rollupName = reader.required('astriaRollupName', NAME, string(64), '');
  const fork = reader.required('astriaForks', 'an object with one fork', onlyFork, undefined);
  return fork && { rollupName, ...fork };
};

const onlyFork: Read<Omit<RollupSection, 'rollupName'>> = (value, path, report) => {
  const forks = isRecord(value) ? Object.entries(value) : [];
  const [only] = forks;
  if (only === undefined || forks.length !== 1) return void report(path, 'an object with exactly one fork', value);
  return readFork(only[1], `${path}.${only[0].slice(0, 50)}`, report);
};

const readFork: Read<Omit<RollupSection, 'rollupName'>> = record((reader) => {
  reader.required('height', '1', constant(1n), 1n);
  reader.optional('halt', isFalse, false);
  reader.optional('snapshotChecksum', () => '', '');
  reader.optional('eip1559Params', defaultFees, undefined);
  reader.optional('precompiles', nothingIn, undefined);
  reader.optional('oracle', nothingIn, undefined);
  reader.optional('appSpecificOrdering', nothingIn, undefined);
  return commonKeys(reader);
});

function constant(expected: bigint): Read<bigint> {
  return (value, path, report) => {
    const number = uint(64)(value, path, () => undefined);
    return number === expected ? number : void report(path, String(expected), value);
  };
}

const isFalse: Read<boolean> = (value, path, report) =>
  value === false || value === 'false' ? false : void report(path, 'false: this node does not halt', value);

const defaultFees: Read<undefined> = record((reader) => {
  reader.optional('minBaseFee', constant(0n), 0n);
  reader.optional('elasticityMultiplier', constant(2n), 2n);
  reader.optional('baseFeeChangeDenominator', constant(8n), 8n);
  return undefined;
});

const nothingIn: Read<undefined> = (value, path, report) => {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  return isEmpty ? undefined : void report(path, 'nothing: this node does not have it', value);
};
