import { text as anyText, bool, Input, integer } from '@switchyard/service/input';
import { casesFrom, fieldsFrom, named, typeFrom } from '../schema/type-from.ts';
import { checkParts } from './check-parts.ts';
import { type Contract, contractOfParts } from './contract.ts';
import {
  getBlock,
  getHelp,
  type Kinds,
  MOST_TRANSACTION_BYTES,
  type Parameter,
  type Parts,
  plain,
  type TableDescription,
} from './document.ts';
import { type Fees, MOST_FEE } from './fees.ts';
import type { WireForm } from './wire-body.ts';

/* Reads the contract of another program. Clients load it if the node has another definition than they. */

const MOST_MIGRATIONS = 1_024;

/** The contract of a document. @throws {InvalidData} naming the invalid part, or a digest that does not match. */
export function contractFrom(input: Input): Contract {
  const contract = checkedContract(input);
  const stated = input.at('fingerprint');
  if (stated.value !== contract.fingerprint) stated.fail(`the digest of this definition, ${contract.fingerprint}`);
  return contract;
}

/** The contract of a document without its digest. @throws {InvalidData} */
export const contractOfDocument = (document: unknown): Contract => checkedContract(new Input(document, 'definition'));

function checkedContract(input: Input): Contract {
  const parts = partsFrom(input);
  checkParts(parts);
  return contractOfParts(parts);
}

/** Parts of a document. @throws {InvalidData} naming the invalid part. */
function partsFrom(input: Input): Parts {
  const hasHook = (name: string) => input.at(name).optional(bool) || undefined;
  return {
    name: anyText(input.at('name')),
    version: integer({ min: 1 })(input.at('version')),
    help: input.at('help').optional(anyText),
    maxActions: integer({ min: 1 })(input.at('maxActions')),
    wire: input.at('wire').optional(wireFrom),
    fees: input.at('fees').optional(feesFrom),
    initialState: hasHook('initialState'),
    onDeposit: hasHook('onDeposit'),
    actions: kindsFrom(input.at('actions')),
    events: kindsFrom(input.at('events')),
    refusals: kindsFrom(input.at('refusals')),
    genesis: named(input.at('genesis'), parameterFrom),
    tables: input.at('tables').list(256).map(tableFrom),
    queries: named(input.at('queries'), (each) => ({
      help: each.at('help').optional(anyText),
      parameters: named(each.at('parameters'), parameterFrom),
      answer: fieldsFrom(each.at('answer')),
    })),
    migrations: input
      .at('migrations')
      .list(MOST_MIGRATIONS)
      .map((each) => ({ name: anyText(each.at('name')), ...getBlock(blockFrom(each)) })),
  };
}

const blockFrom = (part: Input) => part.at('from').optional((block) => block.big());

function kindsFrom(kinds: Input): Kinds {
  const fields = casesFrom(kinds);
  return named(kinds, (each) => ({
    fields: fields[anyText(each.at('name'))] ?? {},
    help: each.at('help').optional(anyText),
    from: blockFrom(each),
    steps: each.at('steps').optional(integer({ min: 1 })),
    check: each.at('check').optional(bool) || undefined,
  }));
}

function parameterFrom(input: Input): Parameter {
  const type = typeFrom(input);
  const help = input.at('help').optional(anyText) ?? '';
  const fallback = input.at('fallback').optional(type.json);
  return { type: { ...type, help }, ...(fallback !== undefined && { fallback }) };
}

/** @throws {InvalidData} */
function feesFrom(input: Input): Fees {
  const to = input.at('to').optional(anyText);
  return {
    asset: anyText(input.at('asset')),
    perByte: input.at('perByte').big(0n, MOST_FEE),
    perStep: input.at('perStep').big(0n, MOST_FEE),
    ...(to !== undefined && { to }),
  };
}

function tableFrom(input: Input): TableDescription {
  const keyFrom = (each: Input) =>
    each
      .at('key')
      .list(16)
      .map((part) => typeFrom(part).description);
  const value = typeFrom(input.at('value'));
  const absent = input.at('absent').optional(value.json);
  const search = input.at('search').list(1_024).map(anyText);
  return {
    ...{
      name: anyText(input.at('name')),
      ...getBlock(blockFrom(input)),
      ...getHelp(input.at('help').optional(anyText)),
    },
    state: input.at('state').value === 'derived' ? 'derived' : 'authenticated',
    key: keyFrom(input),
    value: value.description,
    ...(absent !== undefined && { absent: plain(value.toJson(absent)) }),
    indexes: input
      .at('indexes')
      .list(64)
      .map((index) => ({ name: anyText(index.at('name')), key: keyFrom(index) })),
    ...(search.length > 0 && { search }),
  };
}

function wireFrom(input: Input): WireForm {
  return {
    typeUrl: anyText(input.at('typeUrl')),
    maxTransactionBytes: integer({ min: 1, max: MOST_TRANSACTION_BYTES })(input.at('maxTransactionBytes')),
  };
}
