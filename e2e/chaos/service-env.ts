/**
 * Sets variables of a service in the text of a `networks-config.toml`: in the table `[networks.N.services.S.env]` where
 * there is one, else in a new one at the end.
 */
export function withServiceEnv(
  text: string,
  { network, service }: { readonly network: string; readonly service: string },
  env: Readonly<Record<string, string>>,
): string {
  const header = `[networks.${network}.services.${service}.env]`;
  const added = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const lines = text.split('\n');
  const at = lines.indexOf(header);
  if (at < 0) return `${text.trimEnd()}\n\n${header}\n${added.join('\n')}\n`;
  const next = lines.findIndex((line, index) => index > at && line.startsWith('['));
  const end = next < 0 ? lines.length : next;
  const names = new Set(Object.keys(env).map((name) => name.toLowerCase()));
  const kept = lines.slice(at + 1, end).filter((line) => !names.has((line.split('=')[0] ?? '').trim().toLowerCase()));
  return [...lines.slice(0, at + 1), ...added, ...kept, ...lines.slice(end)].join('\n');
}
