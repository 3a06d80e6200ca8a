import { plain } from '@switchyard/protocol/hidden-characters';
import { exactJsonText, parseJson } from '@switchyard/service';
import { tried } from '@switchyard/service/failure';
import {
  GENESIS_ANNOTATION,
  genesisDigest,
  genesisName,
  genesisText,
  type Manifest,
  nodeIn,
  objectName,
  toClaim,
} from '@switchyard/stack';
import { isTable } from '../../../dev/files/toml.ts';
import { type Finding, refused } from '../../preflight/finding.ts';
import type { ClusterApi } from '../api.ts';

/** A volume with the blocks of another chain: its node would refuse to start. */
export async function chainFindings(api: ClusterApi, manifest: Manifest): Promise<Finding[]> {
  const { name, namespace } = manifest;
  const [claim, genesis] = await Promise.all([
    api.read('PersistentVolumeClaim', toClaim(name, nodeIn(manifest)), namespace),
    api.read('ConfigMap', objectName(name, 'genesis'), namespace),
  ]);
  const digest = claim?.metadata?.annotations?.[GENESIS_ANNOTATION];
  if (digest === undefined || digest === genesisDigest(manifest)) return [];
  const before = genesis?.data?.[genesisName(manifest)];
  const changed = before === undefined ? [] : differences(parsed(before), parsed(genesisText(manifest)));
  const what = changed.length === 0 ? '' : ` (${changed.slice(0, 5).join('; ')})`;
  return [
    refused(
      `rollup ${name} is in namespace ${namespace} with another genesis${what}: a chain that has run keeps its genesis; take the manifest that it was made with, give the new rollup another name, or delete the old chain with \`switchyard rollup deployment delete ${name} --volumes\``,
    ),
  ];
}

const LONGEST = 80;

/** Paths of two JSON values that differ, with both values. */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (isTable(before) && isTable(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], path === '' ? key : `${path}.${key}`));
  }
  const [was, is] = [before, after].map((value) =>
    plain(value === undefined ? 'absent' : exactJsonText(value)).slice(0, LONGEST),
  );
  return was === is ? [] : [`${path} was ${was}, would be ${is}`];
}

const parsed = (text: string): unknown => tried(Error, undefined, () => parseJson(text));
