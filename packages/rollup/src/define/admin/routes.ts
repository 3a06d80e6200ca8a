import { blocksBehind, withQuery } from '@switchyard/client/rollup';
import {
  type AccountId,
  createSigner,
  isDevelopmentKey,
  parseAddress,
  parseSeed,
  Rejected,
  signedBytes,
  toHex,
} from '@switchyard/protocol';
import { HttpError, isOfThisMachine, pageHeaders, toHttpError, toJson } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { getNames } from '../../app/asset-names.ts';
import type { RollupAction } from '../../app/definition.ts';
import type { RollupNode } from '../../app/node.ts';
import type { Fields } from '../../schema/shapes.ts';
import { getParameters, Misused, readValues } from '../arguments.ts';
import type { QueryCall } from '../contract.ts';
import type { Actions, AnyRollup } from '../definition.ts';
import type { Parameter } from '../document.ts';
import { isLog } from '../log-search.ts';
import { answered, toContext } from '../routes.ts';
import type { AnyTable } from '../table.ts';
import { toPage } from '../table-route.ts';
import { signTransaction } from '../transaction.ts';
import { breakable, form, type Html, input, isSwitch, live, names, page, STYLE, table } from './html.ts';
import { SCRIPT } from './script.ts';

const ROWS = 50;

/**
 * A page for who runs the rollup: actions with a form, queries with their answers, tables with their rows. With scripts they change with each block.
 *
 * It signs with published development keys, for clients on this machine; for any other it shows the bytes to sign.
 */
export function adminRoutes(defined: AnyRollup, app: Hono, node: RollupNode): void {
  const headers = {
    ...pageHeaders([], { hasForms: true }),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
  };
  const answer = async (c: Context, title: string, content: () => Html | Promise<Html>) => {
    const { status, shown } = await shownOrWrong(content);
    return c.html(page(title, defined.name, shown), status as 200, headers);
  };
  const calls: ReadonlyMap<string, QueryCall> = defined.calls;
  const tables = new Map(((defined.tables ?? []) as readonly AnyTable[]).map((each) => [each.name, each]));

  const file = (type: string) => ({ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'max-age=3600' });
  app.get('/admin/style.css', (c) => c.body(STYLE, 200, file('text/css')));
  app.get('/admin/live.js', (c) => c.body(SCRIPT, 200, file('text/javascript')));
  app.get('/admin', (c) => answer(c, defined.name, () => live(overview(defined, node))));
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
      ask(defined, node, known('query', calls, c.req.param('name')), new URL(c.req.url).searchParams),
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
    const status = error instanceof Misused || error instanceof InvalidData ? 400 : toHttpError(error).status;
    // One of the classes above.
    return { status, shown: html`<p class="note">${(error as Error).message}</p><p><a href="/admin">Back</a></p>` };
  }
}

function known<T>(what: string, all: ReadonlyMap<string, T>, name: string): T {
  const found = all.get(name);
  if (found === undefined) throw new HttpError(404, 'not-found', `this rollup has no ${what} of this name`);
  return found;
}

function overview({ document, fingerprint, calls, tables = [] }: AnyRollup, { view, genesis }: RollupNode): Html {
  const { actions } = document as AnyRollup['document'];
  return html`<p>${document.help}</p>
<p>Block ${String(view.soft)} of <code>${genesis.chainId}</code>, definition <code>${fingerprint}</code></p>
${names('Actions', actions as readonly { readonly name: string; readonly help?: string }[])}
${names('Queries', [...(calls as ReadonlyMap<string, QueryCall>).values()])}
${names(
  'Tables',
  (tables as readonly AnyTable[]).map(({ name, help, isAuthenticated }) => ({
    name,
    help: isAuthenticated ? help : `not in the state root. ${help}`,
  })),
)}`;
}

function getFields(defined: AnyRollup, name: string): Readonly<Record<string, Parameter>> {
  return getParameters(known('action', defined.fields as ReadonlyMap<string, Fields>, name));
}

/** The form of an action, and the bytes to sign if it is filled in. */
function toSign(
  defined: AnyRollup,
  node: RollupNode,
  name: string,
  typed: URLSearchParams,
  isLocalClient: boolean,
): Html {
  const parameters = getFields(defined, name);
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
  const { help = '' } = (defined.actions as Actions)[name] ?? {};
  if (account === null)
    return html`<p>${help}</p>${isLocalClient ? submitting : ''}<h2>To be signed elsewhere</h2>${asking}`;
  const { transaction } = toSubmit(node, parseAddress(account), { kind: name, ...readFields(parameters, typed) });
  const body = defined.body.encode(transaction);
  const signed = signedBytes({ typeUrl: defined.typeUrl, body });
  return html`<p>An envelope of this type with this body and an Ed25519 signature over the bytes to sign is a transaction for <code>POST /v1/transactions</code>.</p>
${table(
  ['part', 'value'],
  [
    ['bytes to sign', toHex(signed)],
    ['body', toHex(body)],
    ['type', defined.typeUrl],
    ['nonce', String(transaction.nonce)],
    ['chain id', transaction.chainId],
    ['last block', String(transaction.lastBlock)],
  ],
)}${asking}`;
}

async function submitted(defined: AnyRollup, node: RollupNode, name: string, typed: URLSearchParams): Promise<Html> {
  const parameters = getFields(defined, name);
  const seed = getSeed(typed.get('key') ?? '');
  const signer = createSigner(seed);
  const { transaction, blocks } = toSubmit(node, signer.account, { kind: name, ...readFields(parameters, typed) });
  const hash = await node.submit(await signTransaction(defined, transaction, signer));
  const outcome = withQuery(`/v1/transactions/${hash}`, { firstBlock: blocks?.first, lastBlock: blocks?.last });
  return html`<p>Accepted: transaction <a href="${outcome}">${hash}</a>, which expires behind block ${String(transaction.lastBlock)}.</p><pre data-live="${outcome}">accepted</pre>`;
}

function toSubmit(node: RollupNode, account: AccountId, action: RollupAction) {
  const blocks = blocksBehind(node.view.soft);
  const { chainId } = node.genesis;
  return {
    blocks,
    transaction: { nonce: node.nextNonce(account), chainId, actions: [action], lastBlock: blocks?.last },
  };
}

/** A key that is worth something does not belong into a page; the text of none is repeated. */
function getSeed(text: string): Uint8Array {
  const seed = parseSeed(text);
  if (isDevelopmentKey(seed)) return seed;
  throw new Misused(
    'key: expected a published development key; sign with any other key elsewhere, such as by the command submit',
  );
}

function ask(
  defined: AnyRollup,
  node: RollupNode,
  { name, help, parameters, answer }: QueryCall,
  typed: URLSearchParams,
): Html {
  const asking = form({ action: `/admin/queries/${name}`, method: 'get', parameters, typed, submit: 'Ask' });
  const above = html`<p>${help}</p>${asking}`;
  if (typed.size === 0 && Object.keys(parameters).length > 0) return above;
  const values = readFields(parameters, typed);
  const found: unknown = answered(name, () => defined.queries[name].handle(values, toContext(node)));
  const shown =
    found === undefined
      ? 'nothing of these parameters'
      : JSON.stringify(answer.toJson(found as never, getNames(node.view.snapshot)), null, 2);
  return html`${above}${live(html`<pre>${shown}</pre>`)}`;
}

function rows(node: RollupNode, item: AnyTable, after: string | undefined): Html {
  const { rows: shown, next } = toPage(item, node, { after, limit: ROWS, reverse: isLog(item) });
  return live(
    html`<p>After block ${String(node.view.soft)}</p>${table(
      ['key', 'row'],
      shown.map(({ key, value }) => [html`${breakable(toJson(key))}`, html`${breakable(toJson(value))}`]),
    )}${next === null ? '' : html`<p><a href="/admin/tables/${item.name}?after=${encodeURIComponent(next)}">Next rows</a></p>`}`,
  );
}

function readFields(
  parameters: Readonly<Record<string, Parameter>>,
  typed: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = new Map<string, string>();
  for (const [name, parameter] of Object.entries(parameters)) {
    const { type } = parameter;
    const text = typed.get(`field.${name}`) ?? (isSwitch(parameter) ? 'false' : '');
    // An empty input is a value of a text, and none of any other type.
    if (text !== '' || (type.description.type === 'text' && typed.has(`field.${name}`))) given.set(name, text);
  }
  return readValues(parameters, given);
}
