import { parseAnyAddress, parseDenom } from '@switchyard/protocol/values';
import { exactJsonText, parseJson } from '@switchyard/service';
import { Input, list, object, optional, parser, unsigned } from '@switchyard/service/input';
import { type Rule, refuse } from './rule.ts';

/** Members of a genesis that other fields of the manifest state, which the file of the node gets from there. */
export const STATED_ELSEWHERE: Readonly<Record<string, string>> = {
  rollup_name: 'config.rollup.chainId',
  sequencer_chain_id: 'config.sequencer.chainId',
  sequencer_genesis_block_height: 'config.sequencer.initialBlockHeight',
};

/** A JSON object as text: YAML would not keep numbers as such. The node reads its members when it starts. */
export const ownGenesis: Rule<string> = {
  expects: `a JSON object as text, without ${Object.keys(STATED_ELSEWHERE).join(', ')}, which other keys state`,
  example: '{"start": 100}',
  schema: { type: 'string', maxLength: 65_536 },
  fromText: (given) => given,
  written: (given) => given,
  read(input) {
    const members = typeof input.value === 'string' ? findMembers(input.value) : undefined;
    if (members === undefined) return refuse(input, ownGenesis.expects);
    for (const [member, path] of Object.entries(STATED_ELSEWHERE))
      if (Object.hasOwn(members, member)) return input.fail(`no ${member}, which ${path} states`, 'one');
    bridges(new Input(members, input.path));
    return input.value as string;
  },
};

/** Undefined for a text that is no JSON object. */
export function findMembers(given: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJson(given);
    // A value that is nested too deeply to be written is refused here.
    exactJsonText(value);
    return new Input(value, '').isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

const account = object({
  bech32m: parser('a bech32m address of 20 bytes', '', (given) => {
    parseAnyAddress(given);
    return given;
  }),
});
const withdrawal = object({
  bridge_account: account,
  asset: parser('the name of an asset', 'nria', (given) => parseDenom(given).text),
  minimum: optional(unsigned(64), 1n),
});
const bridges = object({
  bridge_accounts: optional(list(account), []),
  withdrawals: optional(list(withdrawal), []),
});

/** Bridge accounts that a genesis names. @param path Of the genesis, for messages. */
export const bridgesIn = (genesis: string, path: string) => bridges(new Input(findMembers(genesis), path));
