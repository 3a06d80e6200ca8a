import { createSigner, isDevelopmentKey, parseAddress, parseSeed, Rejected, toHex } from '@switchyard/protocol';
import { HttpError, httpErrorOf, isOfThisMachine, pageHeaders, toJson } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { RollupAction } from '../../app/definition.ts';
import type { RollupNode } from '../../app/node.ts';
import type { Fields } from '../../schema/shapes.ts';
import { Misused, parametersOf, readValues } from '../arguments.ts';
import type { Parameter, QueryCall } from '../contract.ts';
import type { AnyRollup } from '../definition.ts';
import { contextOf } from '../routes.ts';
import type { AnyTable } from '../table.ts';
import { encodeBody, signTransaction } from '../transaction.ts';
import { form, type Html, input, page, STYLE, table } from './html.ts';

const ROWS = 50;

/**
 * A page for who runs the rollup, without scripts: actions with a form, queries with their answers, tables with their rows.
 *
 * It signs with published development keys, for clients on this machine; for any other it shows the bytes to sign.
 */
export function adminRoutes(defined: AnyRollup, app: Hono, node: RollupNode<never>): void {
  const headers = {
    ...pageHeaders([], { hasForms: true }),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
  };
  const answer = async (c: Context, title: string, content: () => Html | Promise<Html>) => {
    const { status, shown } = await shownOrWrong(content);
    return c.html(page(title, shown), status as 200, headers);
  };
  const calls: ReadonlyMap<string, QueryCall> = defined.calls;
  const tables = new Map(((defined.tables ?? []) as readonly AnyTable[]).map((each) => [each.name, each]));

  app.get('/admin/style.css', () => new Response(STYLE, { headers: { 'content-type': 'text/css; charset=utf-8' } }));
  app.get('/admin', (c) => answer(c, defined.name, () => overview(defined, node)));
  app.get('/admin/actions/:name', (c) =>
    answer(c, c.req.param('name'), () =>
      toSign(defined, node, c.req.param('name'), new URL(c.req.url).searchParams, isOfThisMachine(c.env)),
    ),
  );
  app.post('/admin/actions/:name', (c) =>
    answer(c, c.req.param('name'), async () => {
      if (!isOfThisMachine(c.env))
        throw new HttpError(403, 'not-local', 'this node signs for clients on its own machine alone');
      return submitted(defined, node, c.req.param('name'), new URLSearchParams(await c.req.text()));
    }),
  );
  app.get('/admin/queries/:name', (c) =>
    answer(c, c.req.param('name'), () =>
      asked(defined, node, known('query', calls, c.req.param('name')), new URL(c.req.url).searchParams),
    ),
  );
  app.get('/admin/tables/:name', (c) =>
    answer(c, c.req.param('name'), () => rows(node, known('table', tables, c.req.param('name')), c.req.query('after'))),
  );
}

/** Mistakes of the reader are shown in the page; any other error has its usual answer. */
async function shownOrWrong(content: () => Html | Promise<Html>): Promise<{ status: number; shown: Html }> {
  try {
    return { status: 200, shown: await content() };
  } catch (error) {
    const isForeseen = [Misused, InvalidData, Rejected, HttpError].some((each) => error instanceof each);
    if (!isForeseen) throw error;
    const status = error instanceof Misused || error instanceof InvalidData ? 400 : httpErrorOf(error).status;
    // One of the classes above.
    return { status, shown: html`<p class="wrong">${(error as Error).message}</p><p><a href="/admin">Back</a></p>` };
  }
}

function known<T>(what: string, all: ReadonlyMap<string, T>, name: string): T {
  const found = all.get(name);
  if (found === undefined) throw new HttpError(404, 'not-found', `this rollup has no ${what} of this name`);
  return found;
}

function overview(
  { document, fingerprint, calls, tables = [] }: AnyRollup,
  { view, genesis }: RollupNode<never>,
): Html {
  const link = (kind: string, name: string) => html`<a href="/admin/${kind}/${name}">${name}</a>`;
  const { actions } = document as AnyRollup['document'];
  return html`<p>${document.help}</p>
${table(['chain', 'block', 'definition'], [[genesis.chainId, String(view.soft), fingerprint]])}
<h2>Actions</h2>${table(
    ['name', 'meaning'],
    actions.map(({ name, help }: { name: string; help?: string }) => [link('actions', name), help ?? '']),
  )}
<h2>Queries</h2>${table(
    ['name', 'meaning'],
    [...(calls as ReadonlyMap<string, QueryCall>).values()].map(({ name, help }) => [link('queries', name), help]),
  )}
<h2>Tables</h2>${table(
    ['name', 'meaning', 'in the state root'],
    (tables as readonly AnyTable[]).map(({ name, help, isAuthenticated }) => [
      link('tables', name),
      help,
      isAuthenticated ? 'yes' : 'no',
    ]),
  )}`;
}

function fieldsOf(defined: AnyRollup, name: string): Readonly<Record<string, Parameter>> {
  return parametersOf(known('action', defined.fields as ReadonlyMap<string, Fields>, name));
}

/** The form of an action, and the bytes to sign where it is filled in. */
function toSign(
  defined: AnyRollup,
  node: RollupNode<never>,
  name: string,
  typed: URLSearchParams,
  isLocalClient: boolean,
): Html {
  const parameters = fieldsOf(defined, name);
  const more = (hint: string, field: string) => [input(field, field, typed, hint)];
  const submitting = form({
    ...{ action: `/admin/actions/${name}`, method: 'post', parameters, typed, submit: 'Sign and submit' },
    more: more('a published development key, 64 hex digits', 'key'),
  });
  const asking = form({
    ...{ action: `/admin/actions/${name}`, method: 'get', parameters, typed, submit: 'Show the bytes to sign' },
    more: more('address of the signer', 'account'),
  });
  const account = typed.get('account');
  if (account === null) return html`${isLocalClient ? submitting : ''}<h2>To be signed elsewhere</h2>${asking}`;
  const nonce = node.nextNonce(parseAddress(account));
  const action: RollupAction = { kind: name, ...readFields(parameters, typed) };
  const body = encodeBody(defined, { nonce, chainId: node.genesis.chainId, actions: [action] });
  return html`<p>An Ed25519 signature over these bytes, in an envelope of this type, is a transaction for <code>POST /v1/transactions</code>.</p>
${table(
  ['part', 'value'],
  [
    ['bytes to sign', toHex(body)],
    ['type', defined.typeUrl],
    ['nonce', String(nonce)],
    ['chain id', node.genesis.chainId],
  ],
)}${asking}`;
}

async function submitted(
  defined: AnyRollup,
  node: RollupNode<never>,
  name: string,
  typed: URLSearchParams,
): Promise<Html> {
  const parameters = fieldsOf(defined, name);
  const seed = seedOf(typed.get('key') ?? '');
  const signer = createSigner(seed);
  const action: RollupAction = { kind: name, ...readFields(parameters, typed) };
  const transaction = { nonce: node.nextNonce(signer.account), chainId: node.genesis.chainId, actions: [action] };
  const hash = await node.submit(await signTransaction(defined, transaction, signer));
  return html`<p>Accepted: transaction <a href="/v1/transactions/${hash}">${hash}</a>.</p>`;
}

/** A key that is worth something does not belong into a page; the text of none is repeated. */
function seedOf(text: string): Uint8Array {
  const seed = parseSeed(text);
  if (isDevelopmentKey(seed)) return seed;
  throw new Misused(
    'key: expected a published development key; sign with any other key elsewhere, such as by the command submit',
  );
}

function asked(
  defined: AnyRollup,
  node: RollupNode<never>,
  { name, parameters, answer }: QueryCall,
  typed: URLSearchParams,
): Html {
  const asking = form({ action: `/admin/queries/${name}`, method: 'get', parameters, typed, submit: 'Ask' });
  if (typed.size === 0 && Object.keys(parameters).length > 0) return asking;
  const found: unknown = defined.queries[name].handle(readFields(parameters, typed), contextOf(node));
  const shown =
    found === undefined
      ? 'nothing of these parameters'
      : JSON.stringify(JSON.parse(toJson(answer.toJson(found as never))), null, 2);
  return html`${asking}<pre>${shown}</pre>`;
}

function rows(
  { view }: RollupNode<never>,
  { name, key, value, page: pageOf, maxPageRows }: AnyTable,
  after: string | undefined,
): Html {
  const limit = Math.min(ROWS, maxPageRows);
  const found = [...pageOf(view.snapshot, after, limit + 1)];
  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1)?.cursor : undefined;
  return html`<p>After block ${String(view.soft)}</p>${table(
    ['key', 'row'],
    shown.map((row) => [toJson(row.key.map((part, at) => key[at]?.toJson(part))), toJson(value.toJson(row.value))]),
  )}${next === undefined ? '' : html`<p><a href="/admin/tables/${name}?after=${encodeURIComponent(next)}">Next rows</a></p>`}`;
}

function readFields(
  parameters: Readonly<Record<string, Parameter>>,
  typed: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = new Map<string, string>();
  for (const [name, { type }] of Object.entries(parameters)) {
    const text = typed.get(`field.${name}`) ?? '';
    // An empty input is a value of a text, and none of any other type.
    if (text !== '' || (type.description.type === 'text' && typed.has(`field.${name}`))) given.set(name, text);
  }
  return readValues(parameters, given);
}
