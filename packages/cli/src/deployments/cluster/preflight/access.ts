import { type Finding, noted, refused } from '../../preflight/finding.ts';
import { type ClusterApi, KINDS, OURS, type Review } from '../api.ts';

/** Verbs that `create` needs for the objects of a rollup. */
const VERBS = ['get', 'list', 'create', 'patch', 'delete'] as const;

/** Rights needed to apply, to wait and to remove. */
function needed(namespace: string): Review[] {
  return [
    { verb: 'get', kind: 'Namespace', namespace },
    ...OURS.flatMap((kind) => VERBS.map((verb): Review => ({ verb, kind, namespace }))),
    ...(['list', 'delete'] as const).map((verb): Review => ({ verb, kind: 'Pod', namespace })),
    { verb: 'get', kind: 'Pod', subresource: 'log', namespace },
    { verb: 'get', kind: 'PersistentVolumeClaim', namespace },
  ];
}

const GOOD_TO_HAVE: readonly (Review & { readonly otherwise: string })[] = [
  { verb: 'list', kind: 'IngressClass', otherwise: 'whether the ingress class is there' },
  { verb: 'list', kind: 'StorageClass', otherwise: 'whether the storage class is there' },
  { verb: 'list', kind: 'Ingress', otherwise: 'whether other namespaces have the host names' },
];

/** @param more Rights besides the common ones. */
export async function accessFindings(
  api: Pick<ClusterApi, 'context' | 'mayI'>,
  namespace: string,
  more: readonly Review[] = [],
): Promise<Finding[]> {
  const denied = async <R extends Review>(reviews: readonly R[]): Promise<R[]> => {
    const allowed = await Promise.all(reviews.map((review) => api.mayI(review)));
    return reviews.filter((_, index) => allowed[index] !== true);
  };
  const [missing, unseen] = await Promise.all([denied([...needed(namespace), ...more]), denied(GOOD_TO_HAVE)]);
  return [
    ...(missing.length === 0
      ? []
      : [
          refused(
            `context ${api.context} may not ${grouped(missing)} in namespace ${namespace}: use another context, or have these rights granted`,
          ),
        ]),
    ...unseen.map(({ otherwise, ...review }) =>
      noted(`not checked, since context ${api.context} may not ${text(review)}: ${otherwise}`),
    ),
  ];
}

/** Rights that several kinds lack are named once. */
export function grouped(reviews: readonly Review[]): string {
  const verbsOf = new Map<string, string[]>();
  for (const review of reviews)
    verbsOf.set(toResource(review), [...(verbsOf.get(toResource(review)) ?? []), review.verb]);
  const kindsOf = new Map<string, string[]>();
  for (const [resource, verbs] of verbsOf)
    kindsOf.set(verbs.join(', '), [...(kindsOf.get(verbs.join(', ')) ?? []), resource]);
  return [...kindsOf].map(([verbs, resources]) => `${verbs} ${resources.join(', ')}`).join('; ');
}

const toResource = ({ kind, subresource }: Review) =>
  `${KINDS[kind].resource}${subresource === undefined ? '' : `/${subresource}`}`;
const text = (review: Review) => `${review.verb} ${toResource(review)}`;
