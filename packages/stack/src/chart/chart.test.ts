import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readManifest } from '../manifest/read.ts';
import { renderChart } from './chart.ts';

const manifest = (extra = '') =>
  readManifest(`config:
  rollup:
    name: cosmic
    genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }]
  sequencer: { initialBlockHeight: '42', chainId: main, rpc: 'http://sequencer.main:26657' }
${extra}`).manifest;

const file = (name: string, extra?: string) => renderChart(manifest(extra)).get(name) ?? '';

test('every value is used, and no mark is left', () => {
  const extra = 'ingress: { hostname: example.com, className: nginx }\n';
  const template = file('templates/objects.yaml', extra);
  const { keys, createNamespace, ...values } = parse(file('values.yaml', extra));
  expect([keys, createNamespace]).toEqual([{ sequencer: '', faucet: '' }, false]);
  expect(values).toMatchObject({ ingressClassName: 'nginx', logLevel: 'debug', evmCpu: '300m' });
  for (const key of [...Object.keys(values), 'keys.sequencer', 'keys.faucet'])
    expect(template).toContain(`{{ .Values.${key} | quote }}`);
  expect(template).not.toMatch(/"?@\w/);
});

test('no key is in it', () => {
  for (const [, text] of renderChart(manifest())) expect(text).not.toMatch(/private-key: "?[0-9a-f]{64}/);
});

test('what Helm would take for an action stays text', () => {
  // The only texts that are free are those of URLs.
  const odd = { ...manifest(), sequencerGrpc: 'http://sequencer.main/{{ .Values.keys.sequencer }}' };
  const template = renderChart(odd).get('templates/objects.yaml') ?? '';
  expect(template).toContain('http://sequencer.main/{{ "{{" }} .Values.keys.sequencer }}');
});

test('a rollup without a faucet has one key', () => {
  const extra = 'faucet: { enabled: false }\n';
  expect(parse(file('values.yaml', extra)).keys).toEqual({ sequencer: '' });
  expect(file('templates/objects.yaml', extra).match(/^kind: Secret$/gm)).toHaveLength(1);
});

test('the key of a withdrawer is a value, where there is one', () => {
  const bridge = 'bridgeAddress: astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
  const rollup = { ...manifest('withdrawer: { enabled: false }\n'), bridgeWithdrawer: true };
  const { bridgeAddress } = readManifest(
    `config:\n  rollup:\n    name: cosmic\n    ${bridge}\n    genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }]\n  sequencer: { initialBlockHeight: '42' }\n`,
  ).manifest;
  const files = renderChart({ ...rollup, bridgeAddress, withdrawerEnabled: true });
  const { keys, withdrawerCpu } = parse(files.get('values.yaml') ?? '');
  expect([keys, withdrawerCpu]).toEqual([{ sequencer: '', withdrawer: '', faucet: '' }, '50m']);
  expect(files.get('templates/objects.yaml')).toContain('private-key: {{ .Values.keys.withdrawer | quote }}');
});

test('the light node has no token that follows from the text of the chart', () => {
  const extra = 'da-node: { config: { network: mocha-5 } }\n';
  expect(parse(file('values.yaml', extra)).keys).toEqual({
    ...{ sequencer: '', faucet: '' },
    ...{ daLightSecret: '', daLightReadToken: '' },
  });
  const template = file('templates/objects.yaml', extra);
  expect(template).toContain('jwt-secret: {{ .Values.keys.daLightSecret | quote }}');
  expect(template).toContain('read-token: {{ .Values.keys.daLightReadToken | quote }}');
});

test('the token of a node elsewhere is a value, where it asks for one', () => {
  const node = `{ kind: external, url: 'http://light.main:26658', hasToken: true, config: { network: a, trustedHeight: 1, trustedHash: ${'ab'.repeat(32)} } }`;
  const extra = `da-node: ${node}\n`;
  const firm = manifest(extra);
  const files = renderChart({ ...firm, executionCommitLevel: 'SoftAndFirm' });
  expect(parse(files.get('values.yaml') ?? '').keys).toEqual({ sequencer: '', faucet: '', daToken: '' });
  expect(files.get('templates/objects.yaml')).toContain('read-token: {{ .Values.keys.daToken | quote }}');
  expect(parse(file('values.yaml', extra)).keys).toEqual({ sequencer: '', faucet: '' });
});
