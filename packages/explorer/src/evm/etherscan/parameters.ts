import { parseInput } from '@switchyard/service/input';
import { NotOk } from './not-ok.ts';

const MAX_PARAMETERS = 64;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

/** Parameters of a request, from its query and its body; names are in lower case, and the first of several counts. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>;

  constructor(entries: Iterable<readonly [name: string, value: string]>) {
    const values = new Map<string, string>();
    for (const [name, value] of entries) {
      const key = name.toLowerCase();
      if (values.size < MAX_PARAMETERS && !values.has(key)) values.set(key, value);
    }
    this.#values = values;
  }

  /** @throws {NotOk} if the body contradicts its type. */
  static async of(request: Request): Promise<Parameters> {
    const query = [...new URL(request.url).searchParams];
    return new Parameters([...query, ...(request.method === 'POST' ? await getBody(request) : [])]);
  }

  /** Undefined if it is absent or empty. */
  optional(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  /** @throws {NotOk} */
  text(name: string): string {
    return this.optional(name) ?? fail(`Error! Missing parameter ${name}`);
  }

  /** Lower-case hex without `0x`. @throws {NotOk} */
  address(name = 'address'): string {
    const text = this.optional(name) ?? '';
    return ADDRESS.test(text) ? text.slice(2).toLowerCase() : fail('Error! Invalid address format');
  }

  /** Lower-case hex without `0x`. @throws {NotOk} */
  hash(name: string): string {
    const text = this.optional(name) ?? '';
    return HASH.test(text) ? text.slice(2).toLowerCase() : fail('Error! Invalid transaction hash');
  }

  /** Decimal digits. @throws {NotOk} */
  integer(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER, fallback }: IntegerBounds): number {
    const text = this.optional(name) ?? (fallback === undefined ? '' : String(fallback));
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : fail(`Error! ${name}: expected a whole number from ${min} to ${max}`);
  }
}

interface IntegerBounds {
  readonly min?: number;
  readonly max?: number;
  /** Value of an absent parameter; without it the parameter is required. */
  readonly fallback?: number;
}

async function getBody(request: Request): Promise<(readonly [string, string])[]> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') {
    const members = parseInput(await request.text(), 'body').members();
    return members.flatMap(([name, { value }]) => (typeof value === 'string' ? [[name, value] as const] : []));
  }
  if (type === 'multipart/form-data') {
    const form = await request.formData().catch(() => fail('Error! The body is no form'));
    return [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  }
  return [...new URLSearchParams(await request.text())];
}

function fail(message: string): never {
  throw new NotOk(message);
}
