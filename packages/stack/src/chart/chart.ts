import { stringify } from 'yaml';
import type { KubernetesObject } from '../kubernetes/objects.ts';
import { objectsText } from '../kubernetes/text.ts';
import type { Manifest } from '../manifest/fields.ts';
import { daToken, hasDaLight } from '../manifest/layer.ts';
import { getRole, isWithdrawer, ROLES, WITHDRAWERS } from '../roles.ts';
import { VERSION } from '../version.ts';
import { processesIn } from '../workloads/parts.ts';
import { getWorkloads } from '../workloads/workloads.ts';

/*
 * A Helm chart of one rollup, for people who deploy from git. Its objects are those of the workloads: some values of the
 * manifest, and the keys, are replaced by marks before the objects are made, and the marks by values of Helm. All else
 * belongs to the chain or to several objects at once: it is changed in the manifest, and the chart written again.
 */

/** Keys of a manifest that stand in one place of the objects, unchanged. */
const CPU_KEYS = ROLES.map((process) => `${process}Cpu` as const);
const PLAIN_KEYS = ['image', 'logLevel', 'storageSize', ...CPU_KEYS] as const;
/** Absent from the objects if the manifest has no value. */
const OPTIONAL_KEYS = ['ingressClassName', 'storageClassName'] as const;

type ValueKey = (typeof PLAIN_KEYS)[number] | (typeof OPTIONAL_KEYS)[number];

/** No text of a manifest has this character at its beginning: YAML reserves it, and no rule of the manifest takes it. */
const mark = (path: string) => `@${path}@`;
const MARK = /"@([\w.]+)@"/g;

/** Names of the keys of payers of withdrawals: `withdrawer`, `withdrawer2`. */
const payerKey = (process: string) => process.replace('-', '');

/** Matches the annotation with the settings' digest, as the objects are made with it. */
const DIGEST = /^( +)switchyard\/settings: (\w+)$/gm;

/** The files of the chart, by their paths in its directory. */
export function renderChart(manifest: Manifest): ReadonlyMap<string, string> {
  const daLight = { secret: mark('keys.daLightSecret'), readToken: mark('keys.daLightReadToken') };
  const keys = {
    ...{ sequencer: mark('keys.sequencer'), faucet: mark('keys.faucet') },
    withdrawers: WITHDRAWERS.map((process) => mark(`keys.${payerKey(process)}`)),
    ...{ daToken: mark('keys.daToken'), daLight },
  };
  const objects = getWorkloads(withMarks(manifest), keys);
  return new Map([
    ['Chart.yaml', chartText(manifest)],
    ['values.yaml', valuesText(manifest)],
    ['templates/objects.yaml', objects.map(renderTemplate).join('')],
  ]);
}

function getValues(manifest: Manifest): Readonly<Partial<Record<ValueKey, string>>> {
  return Object.fromEntries(
    [...PLAIN_KEYS, ...OPTIONAL_KEYS].flatMap((key) => {
      const isUsed = !key.endsWith('Cpu') || processesIn(manifest).some((process) => key === `${getRole(process)}Cpu`);
      return manifest[key] === undefined || !isUsed ? [] : [[key, manifest[key]]];
    }),
  );
}

function withMarks(manifest: Manifest): Manifest {
  const marks = Object.keys(getValues(manifest)).map((key) => [key, mark(key)]);
  // Values of the same keys, each a text as before.
  return { ...manifest, ...(Object.fromEntries(marks) as Partial<Manifest>) };
}

function chartText({ name, kind, chainId, networkId }: Manifest): string {
  return stringify({
    apiVersion: 'v2',
    name,
    description: kind === 'evm' ? `EVM rollup ${chainId}, network id ${networkId}` : `Rollup ${chainId}`,
    type: 'application',
    version: VERSION,
    appVersion: VERSION,
  });
}

function valuesText(manifest: Manifest): string {
  const keys = {
    sequencer: '',
    ...Object.fromEntries(
      processesIn(manifest)
        .filter(isWithdrawer)
        .map((process) => [payerKey(process), '']),
    ),
    ...(manifest.faucetEnabled ? { faucet: '' } : {}),
    ...(hasDaLight(manifest) ? { daLightSecret: '', daLightReadToken: '' } : {}),
    ...(manifest.daKind === 'external' && daToken(manifest) !== undefined ? { daToken: '' } : {}),
  };
  return [
    '# What can be changed without writing the chart again; the rest is in the manifest that it was made from.',
    stringify(getValues(manifest), { lineWidth: 0 }).trimEnd(),
    '# Whether the namespace is part of the release.',
    'createNamespace: false',
    '# As `rollup deployment create --dry-run --show-secrets` prints them, from a file of your own that is not in git. If one is empty, its',
    '# Secret is not part of the release: make it before, under the name and with the keys that --dry-run prints.',
    stringify({ keys }).trimEnd(),
    '',
  ].join('\n');
}

function renderTemplate(object: KubernetesObject): string {
  // Braces that Helm would take for an action of its own stay text.
  const literal = objectsText([object]).replaceAll('{{', '{{ "{{" }}');
  const text = literal
    .replace(MARK, (_, path: string) => `{{ .Values.${path} | quote }}`)
    // Pods start again when a value changes, as they do when a setting changes.
    .replace(
      DIGEST,
      (_, indent: string, digest: string) =>
        `${indent}switchyard/settings: {{ printf "${digest} %s" (toJson .Values) | sha256sum | trunc 32 | quote }}`,
    );
  const condition = findCondition(object);
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

function findCondition(object: KubernetesObject): string | undefined {
  if (object.kind === 'Namespace') return '.Values.createNamespace';
  if (object.kind !== 'Secret') return undefined;
  const { stringData = {} } = object as { readonly stringData?: Readonly<Record<string, string>> };
  const [, path] = /^@(.+)@$/.exec(Object.values(stringData)[0] ?? '') ?? [];
  return path === undefined ? undefined : `.Values.${path}`;
}
