import { type Metadata, type Owner, toMetadata } from '../kubernetes/objects.ts';
import type { Manifest } from '../manifest/fields.ts';
import { DA_LIGHT } from '../manifest/layer.ts';
import { objectName, type Part } from '../names.ts';
import type { Workload } from './parts.ts';

export const toOwner = ({ name, namespace }: Manifest): Owner => ({ family: 'rollup', name, namespace });

/** Metadata of an object that belongs to a workload. */
export function partMetadata(manifest: Manifest, part: Part, workload: Workload | typeof DA_LIGHT): Metadata {
  const owner = workload === DA_LIGHT ? manifest.labelPrefix : manifest.name;
  return toMetadata(toOwner(manifest), objectName(owner, part), workload);
}
