/**
 * The language in which CometBFT's clients say which events they want:
 * `tm.event = 'Tx' AND tx.height > 5 AND transfer.sender EXISTS`.
 */
export interface Query {
  readonly text: string;
  readonly conditions: readonly Condition[];
}

export interface Condition {
  readonly key: string;
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'CONTAINS' | 'EXISTS';
  readonly operand: Operand;
}

export type Operand =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly number: number; readonly text: string }
  | { readonly kind: 'time'; readonly ms: number };

/** The values of each key of one event; a key may have several. */
export type EventKeys = ReadonlyMap<string, readonly string[]>;

export const MAX_QUERY_LENGTH = 512;

const TOKEN =
  /\s*(?:('[^']*')|(TIME|DATE)\s+([0-9][0-9T:+.Z-]*)|([A-Za-z_][\w.:/-]*)|([0-9]+(?:\.[0-9]+)?)|(<=|>=|[=<>]))/y;

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'operand'; readonly operand: Operand };

/** @throws {Error} naming the position at which the text stops being a query. */
export function parseQuery(text: string): Query {
  const tokens = tokenize(text);
  const conditions: Condition[] = [];
  let at = 0;
  for (;;) {
    const key = tokens[at];
    if (key?.kind !== 'word') throw new Error(`expected a key at position ${at + 1} of the query`);
    const verb = tokens[at + 1];
    const { operator, length, operand } = comparison(verb, tokens[at + 2], key.text);
    conditions.push({ key: key.text, operator, operand });
    at += 1 + length;
    const and = tokens[at];
    if (and === undefined) return { text, conditions };
    if (and.kind !== 'word' || and.text !== 'AND') throw new Error(`expected AND after the condition on ${key.text}`);
    at += 1;
  }
}

/** True if every condition holds for some value of its key. */
export function matches(conditions: readonly Condition[], keys: EventKeys): boolean {
  return conditions.every((condition) => (keys.get(condition.key) ?? []).some((value) => holds(condition, value)));
}

/** The text that `key` must equal, if the query has such a condition. */
export function exactly(conditions: readonly Condition[], key: string): string | undefined {
  const found = conditions.find((condition) => condition.key === key && condition.operator === '=')?.operand;
  return found?.kind === 'text' || found?.kind === 'number' ? found.text : undefined;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`unexpected character at offset ${from} of the query`);
    const [, quoted, stamp, time, word, number, operator] = match;
    if (quoted !== undefined) tokens.push({ kind: 'operand', operand: { kind: 'text', text: quoted.slice(1, -1) } });
    else if (time !== undefined) tokens.push({ kind: 'operand', operand: timeOperand(stamp ?? '', time) });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (number !== undefined) {
      tokens.push({ kind: 'operand', operand: { kind: 'number', number: Number(number), text: number } });
    } else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
  }
  return tokens;
}

function timeOperand(stamp: string, text: string): Operand {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Error(`expected a ${stamp.toLowerCase()}, got ${text}`);
  return { kind: 'time', ms };
}

function comparison(
  verb: Token | undefined,
  value: Token | undefined,
  key: string,
): { readonly operator: Condition['operator']; readonly length: number; readonly operand: Operand } {
  if (verb?.kind === 'word' && verb.text === 'EXISTS')
    return { operator: 'EXISTS', length: 1, operand: { kind: 'none' } };
  if (value?.kind !== 'operand') throw new Error(`expected a comparison with a value after ${key}`);
  const { operand } = value;
  if (verb?.kind === 'word' && verb.text === 'CONTAINS' && operand.kind === 'text') {
    return { operator: 'CONTAINS', length: 2, operand };
  }
  if (verb?.kind === 'operator') {
    const operator = verb.text;
    if (operator === '=') return { operator, length: 2, operand };
    if (operand.kind !== 'text' && (operator === '<' || operator === '<=' || operator === '>' || operator === '>=')) {
      return { operator, length: 2, operand };
    }
  }
  throw new Error(`expected =, <, <=, >, >= with a number or time, CONTAINS with a text, or EXISTS after ${key}`);
}

function holds({ operator, operand }: Condition, value: string): boolean {
  switch (operand.kind) {
    case 'none':
      return true;
    case 'text':
      return operator === 'CONTAINS' ? value.includes(operand.text) : value === operand.text;
    case 'number':
      // Values such as "10nria" compare by the number in front, as they do in CometBFT.
      return compare(operator, Number.parseFloat(value), operand.number);
    case 'time':
      return compare(operator, Date.parse(value), operand.ms);
    default:
      return operand satisfies never;
  }
}

function compare(operator: Condition['operator'], left: number, right: number): boolean {
  switch (operator) {
    case '=':
      return left === right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return false;
  }
}
