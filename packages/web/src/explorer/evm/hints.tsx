import { evm } from '@switchyard/explorer/contract';
import { ask } from '../api.ts';
import { useAsked } from '../parts/answer.tsx';
import { Hint } from '../parts/hint.tsx';

/** A command that calls the JSON-RPC of a rollup. */
function WithUrl({
  rollup,
  children,
  command,
}: {
  readonly rollup: string;
  readonly children: string;
  readonly command: string;
}) {
  const { value } = useAsked(`network ${rollup}`, () => ask(evm.getEvmNetwork, { rollup }));
  return <Hint command={command.replace('URL', value?.url ?? 'URL')}>{children}</Hint>;
}

export const NoEvmTransaction = ({ rollup }: { readonly rollup: string }) => (
  <WithUrl rollup={rollup} command="cast send --rpc-url URL --private-key KEY --value 1ether ADDRESS">
    No transaction was executed yet. Send one from a wallet, or with Foundry:
  </WithUrl>
);

export const NoToken = ({ rollup }: { readonly rollup: string }) => (
  <WithUrl rollup={rollup} command="forge create --rpc-url URL --private-key KEY --broadcast src/Token.sol:Token">
    No contract has reported a transfer of a token yet. Deploy one:
  </WithUrl>
);
