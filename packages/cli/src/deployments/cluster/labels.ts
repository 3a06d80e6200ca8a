import { type Family, MANAGER, PART_OF } from '@switchyard/stack';

/** Name and place of one deployment that this command line made. */
export interface Installed {
  readonly family: Family;
  readonly name: string;
  readonly namespace: string;
}

/** Labels of every object of a family. */
export const ofAll = (family: Family) => ({
  'app.kubernetes.io/managed-by': MANAGER,
  'app.kubernetes.io/part-of': PART_OF[family],
});

export const INSTANCE = 'app.kubernetes.io/instance';
export const WORKLOAD = 'app.kubernetes.io/name';

/** Labels of every object of one deployment. */
export const ofOne = ({ family, name }: Omit<Installed, 'namespace'>) => ({ ...ofAll(family), [INSTANCE]: name });

/** Facts of an object that checks look at. */
export interface Labelled {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
}

export function belongsTo(object: Labelled, one: Omit<Installed, 'namespace'>): boolean {
  return Object.entries(ofOne(one)).every(([key, value]) => object.metadata?.labels?.[key] === value);
}

/** Whether a namespace was made for a deployment. */
export function isOurs({ metadata }: Labelled): boolean {
  return metadata?.labels?.['app.kubernetes.io/managed-by'] === MANAGER;
}
