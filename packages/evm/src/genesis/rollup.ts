import type { Address, Data } from '@switchyard/evm-machine/types';
import { type AccountId, parseAddress, parseDenom } from '@switchyard/protocol';
import {
  Input,
  list,
  mapped,
  type ObjectOf,
  object,
  optional,
  parser,
  type Read,
  readEach,
  shortText,
  strictObject,
  unsigned,
} from '@switchyard/service/input';
import type { Bridge } from '../rules/rules.ts';
import { addressText, dataText, exactly, findUint, nothing, uint } from './values.ts';

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
    /** Empty if there is none. */
    readonly chainId: string;
    readonly startHeight: bigint;
    readonly searchHeightMaxLookAhead: bigint;
  };
  /** Recipients of the tips, each from block `from` on; sorted by it. Before the first: the zero address. */
  readonly feeRecipients: readonly { readonly from: bigint; readonly recipient: Address }[];
  /** Extra data of every block but the first; at most 32 bytes. */
  readonly extraData: Data;
  readonly bridges: readonly Bridge[];
}

/** The section of `config` that describes the rollup; the reference's keys are read too. */
export const rollupSection: Read<RollupSection> = (input) => {
  const own = input.at('switchyard');
  if (own.isPresent) return ownSection(own);
  if (input.at('astriaRollupName').isPresent || input.at('astriaForks').isPresent) return referenceSection(input);
  return own.fail('the section that names rollup, sequencer and bridge accounts');
};

const DEFAULT_PREFIX = 'astria';
const NO_CELESTIA = { chainId: '', startHeight: 0n, searchHeightMaxLookAhead: 0n };

const sequencer = strictObject({
  chainId: shortText(50),
  addressPrefix: optional(shortText(20), DEFAULT_PREFIX),
  // Heights begin with 1, and the one before the first must be one too.
  startHeight: uint(32, 1n),
});

const celestia = strictObject({
  chainId: optional((input) => (input.value === '' ? '' : shortText(50)(input)), ''),
  startHeight: optional(unsigned(32), 0n),
  searchHeightMaxLookAhead: optional(unsigned(64), 0n),
});

const feeRecipients: Read<RollupSection['feeRecipients']> = (input) => {
  if (!input.isObject) return [{ from: 1n, recipient: addressText(input) }];
  const recipients = readEach(input.members(), ([key, entry]) => ({
    from: uint(63, 1n)(new Input(key, key, input)),
    recipient: addressText(entry),
  }));
  return recipients.sort((left, right) => (left.from < right.from ? -1 : 1));
};

const denomination = parser('a denomination', '', (text) => {
  parseDenom(text);
  return text;
});

const precision: Read<number> = (input) => {
  const number = findUint(input.value);
  return number !== undefined && number <= 18n ? Number(number) : input.fail('a number from 0 to 18');
};

function bridges(prefix: string): Read<readonly Bridge[]> {
  const address = parser<AccountId>(`a bech32m address that begins with ${prefix}1`, '', (text) =>
    parseAddress(text, prefix),
  );
  const bridge: Read<Bridge> = mapped(
    strictObject({
      // Tokens other than the native coin would need a contract call, which no transaction of this chain makes.
      erc20Asset: nothing('only native coins are bridged here'),
      // Meant for those calls.
      senderAddress: optional(addressText),
      bridgeAddress: address,
      assetDenom: denomination,
      assetPrecision: precision,
    }),
    ({ bridgeAddress, assetDenom, assetPrecision }) => ({
      account: bridgeAddress,
      asset: assetDenom,
      precision: assetPrecision,
    }),
  );
  return mapped(list(bridge), (read, input) => {
    const accounts = new Set(read.map(({ account }) => account));
    return accounts.size === read.length ? read : input.fail('each bridge account once', 'one of them twice');
  });
}

function commonKeys(prefix: string) {
  return {
    sequencer,
    celestia: optional(celestia, NO_CELESTIA),
    feeRecipient: optional(feeRecipients, []),
    extraData: optional(dataText(32), '0x'),
    bridgeAddresses: optional(bridges(prefix), []),
  };
}

const ALIASES = { feeCollector: 'feeRecipient', extraDataOverride: 'extraData' };

type CommonKeys = ObjectOf<ReturnType<typeof commonKeys>>;

function toSection(rollupName: string, keys: CommonKeys): RollupSection {
  return {
    rollupName,
    sequencer: keys.sequencer,
    celestia: keys.celestia,
    feeRecipients: keys.feeRecipient,
    extraData: keys.extraData,
    bridges: keys.bridgeAddresses,
  };
}

/** Known before the section is read, so that mistakes in addresses are named together with all others. */
function prefixIn(section: Input): string {
  const written = section.isObject ? section.at('sequencer') : section;
  const prefix = written.isObject ? written.at('addressPrefix').value : undefined;
  return typeof prefix === 'string' ? prefix : DEFAULT_PREFIX;
}

function ownSection(input: Input): RollupSection {
  const keys = { rollupName: shortText(64), ...commonKeys(prefixIn(input)) };
  const { rollupName, ...common } = strictObject(keys, { aliases: ALIASES })(input);
  return toSection(rollupName, common);
}

/** `astriaRollupName` and `astriaForks` with one fork, whose values must match this chain in any case. */
const referenceSection: Read<RollupSection> = mapped(
  object({ astriaRollupName: shortText(64), astriaForks: onlyFork }),
  ({ astriaRollupName, astriaForks }) => toSection(astriaRollupName, astriaForks),
);

function onlyFork(input: Input): CommonKeys {
  const [only, ...others] = input.isObject ? input.members() : [];
  if (only === undefined || others.length > 0) return input.fail('an object with exactly one fork');
  const [, fork] = only;
  return strictObject({ ...FORK_KEYS, ...commonKeys(prefixIn(fork)) }, { aliases: ALIASES })(fork);
}

const isFalse: Read<boolean> = (input) =>
  input.value === false || input.value === 'false' ? false : input.fail('false: this node does not halt');

const defaultFees = strictObject({
  minBaseFee: optional(exactly(0n)),
  elasticityMultiplier: optional(exactly(2n)),
  baseFeeChangeDenominator: optional(exactly(8n)),
});

const empty: Read<undefined> = (input) => {
  const isEmpty = !input.isPresent || (Array.isArray(input.value) && input.value.length === 0);
  return isEmpty ? undefined : input.fail('nothing: this node does not have it');
};

const FORK_KEYS = {
  height: exactly(1n),
  halt: optional(isFalse),
  snapshotChecksum: () => undefined,
  eip1559Params: optional(defaultFees),
  precompiles: empty,
  oracle: empty,
  appSpecificOrdering: empty,
};
