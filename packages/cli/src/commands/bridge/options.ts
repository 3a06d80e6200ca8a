import { urlOf } from '../../arguments.ts';
import { type Cli, optionSet } from '../../cli.ts';
import type { Connections, WithdrawerPort } from '../../connections.ts';

const DEFAULT_URL = 'http://127.0.0.1:2451';

export const withWithdrawer = optionSet((command) =>
  command.option(
    '--url <url>',
    'HTTP address of the withdrawer; the second one of a network has port 2452',
    DEFAULT_URL,
  ),
);

export async function withdrawerOf(
  { url }: { readonly url: string },
  cli: Cli,
  connect: Connections,
): Promise<WithdrawerPort> {
  const { askedByUrl } = await import('../../target.ts');
  askedByUrl(cli, '--url', url);
  return connect.withdrawer(urlOf('--url', url));
}
