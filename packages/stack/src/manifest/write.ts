import { InvalidData } from '@switchyard/service/input';
import { Document, isCollection, isMap, isScalar, Scalar } from 'yaml';
import { FAILSAFE, parseYaml } from './document.ts';
import type { ManifestField } from './field.ts';
import { FIELDS, type ManifestKey } from './fields.ts';
import { fieldAt, type ReadManifest, readFieldText, readManifest } from './read.ts';

/** A new chain begins with the newest rules and contracts; a manifest without them is that of a chain that keeps its own. */
const NEWEST = { pragueTime: 0n, osakaTime: 0n, bridgeWithdrawer: true, bridgeMinimum: 1_000n };

/** The text of a new manifest: the choices, and the members of every manifest. */
export function manifestText(wanted: Readonly<Partial<Record<ManifestKey, unknown>>>): string {
  // The coins that a faucet gives came by no deposit.
  const faucet = wanted.withdrawerEnabled === true ? { faucetEnabled: false } : {};
  const chosen = (wanted.kind ?? 'evm') === 'evm' ? { ...NEWEST, ...faucet, ...wanted } : wanted;
  const stated = statedIn(chosen);
  const document = new Document({}, FAILSAFE);
  document.commentBefore = ` Rollup ${String(chosen.name)}. \`switchyard rollup config show\` lists every key with its default.`;
  for (const [key, field] of FIELDS) {
    const value = stated.get(key);
    if (value !== undefined) set(document, field, value);
  }
  return toText(document);
}

/** @throws {InvalidData} if the choices make no manifest. */
function statedIn(chosen: Readonly<Partial<Record<ManifestKey, unknown>>>): ReadonlyMap<ManifestKey, unknown> {
  const document = new Document({}, FAILSAFE);
  for (const [key, field] of FIELDS) if (chosen[key] !== undefined) set(document, field, chosen[key]);
  const { manifest } = readManifest(toText(document));
  return new Map(
    FIELDS.filter(
      ([key, { isAlwaysWritten, only = manifest.kind }]) =>
        chosen[key] !== undefined || (isAlwaysWritten && only === manifest.kind),
    ).map(([key]) => [key, manifest[key]]),
  );
}

/**
 * The text of a manifest with another value at one place; comments and order stay.
 *
 * @param path Path of the field in the manifest.
 * @throws {InvalidData} if there is no such key, or the whole would be no manifest.
 */
export function editManifest(text: string, path: string, value: string): { readonly text: string } & ReadManifest {
  const field = fieldAt(path);
  const read = readFieldText(field, value, path);
  const { document } = parseYaml(text);
  if (!isMap(document.contents))
    throw new InvalidData('expected sections such as global and config, got something else');
  set(document, field, read);
  const edited = toText(document);
  return { text: edited, ...readManifest(edited) };
}

function set(document: Document, { path, rule }: ManifestField<unknown>, value: unknown): void {
  const keys = path.split('.');
  const node = document.createNode(rule.written(value));
  for (const scalar of iterateScalars(node)) {
    // Text that looks like a number or a switch is quoted, so that it stays text for other readers too.
    scalar.type = typeof scalar.value === 'string' ? getStyle(scalar.value) : Scalar.PLAIN;
    scalar.value = String(scalar.value);
  }
  const old: unknown = document.getIn(keys, true);
  // The comments alongside a value belong to its key.
  if (isScalar(old) && isScalar(node)) Object.assign(node, { comment: old.comment, commentBefore: old.commentBefore });
  for (let length = 1; length < keys.length; length += 1) {
    const above = keys.slice(0, length);
    const section: unknown = document.getIn(above, true);
    if (!isMap(section)) document.setIn(above, document.createNode({}));
  }
  document.setIn(keys, node);
}

function* iterateScalars(node: unknown): Generator<Scalar> {
  if (isScalar(node)) yield node;
  if (!isCollection(node)) return;
  for (const item of node.items)
    yield* iterateScalars(
      typeof item === 'object' && item !== null && 'value' in item && !isScalar(item) ? item.value : item,
    );
}

function getStyle(text: string): Scalar.Type {
  if (text.includes('\n')) return Scalar.BLOCK_LITERAL;
  return looksOtherwise(text) ? Scalar.QUOTE_SINGLE : Scalar.PLAIN;
}

function looksOtherwise(text: string): boolean {
  return /^[\d.+-]|^0x|^(?:true|false|null|yes|no|on|off|~|)$/i.test(text);
}

const toText = (document: Document) => document.toString({ lineWidth: 0 });
