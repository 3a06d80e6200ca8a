import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { Manifest } from '../manifest/fields.ts';
import { objectName, type Part } from '../names.ts';

/** Parts of a rollup that run as pods of their own. */
export type Workload = 'evm' | 'faucet' | 'explorer';

/** Not a process of ours: celestia-node, from an image of its own. */
export const DA_LIGHT = 'da-light';

/** Whatever has pods. */
export type Labelled = Workload | typeof DA_LIGHT;

/** The nodes of a sequencer network. */
export const SEQUENCER = 'sequencer';

export const MANAGER = 'switchyard';

type Labels = Readonly<Record<string, string>>;

/** Things that are deployed under a name of their own, and the label that tells them apart. Labels never change. */
export const PART_OF = { rollup: 'switchyard', sequencer: 'switchyard-sequencer' } as const;

export type Family = keyof typeof PART_OF;

/** Labels that select the pods of a workload. They never change: a selector of a StatefulSet cannot. */
export function selectorOf(instance: string, workload: string): { [key: string]: string } {
  return { 'app.kubernetes.io/instance': instance, 'app.kubernetes.io/name': workload };
}

export function selector({ name }: Manifest, workload: Labelled): { [key: string]: string } {
  return selectorOf(name, workload);
}

/** @param workload Undefined for what belongs to the whole. */
export function labelsOf(family: Family, instance: string, workload: string | undefined): Labels {
  return {
    'app.kubernetes.io/instance': instance,
    ...(workload === undefined ? {} : { 'app.kubernetes.io/name': workload }),
    'app.kubernetes.io/part-of': PART_OF[family],
    'app.kubernetes.io/managed-by': MANAGER,
  };
}

/** Metadata of an object that belongs to a workload. */
export function metadataOf(manifest: Manifest, part: Part, workload: Labelled): ObjectMeta & { readonly name: string } {
  return {
    name: objectName(workload === DA_LIGHT ? manifest.labelPrefix : manifest.name, part),
    namespace: manifest.namespace,
    labels: { ...labelsOf('rollup', manifest.name, workload) },
  };
}

/** Metadata of an object that belongs to the whole rollup and has its name. */
export function rollupMetadata(manifest: Manifest): ObjectMeta & { readonly name: string } {
  return {
    name: manifest.name,
    namespace: manifest.namespace,
    labels: { ...labelsOf('rollup', manifest.name, undefined) },
  };
}
