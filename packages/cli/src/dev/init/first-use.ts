import { EVM_CHAIN_ID } from '@switchyard/network/evm-accounts';
import { usualUrl } from '../instance/ports.ts';
import { hasEvm, hasMessenger, type Template } from './templates.ts';

/** Where the rollups of an instance are used once it runs; without one, how to get one. */
export function firstUse(template: Template, offset: number, init: string, flags: string): string[] {
  if (template === 'empty') {
    return [
      `No rollup yet: ${init} --template messenger${flags} adds one; networks-config.toml shows how to add your own`,
    ];
  }
  return [
    ...(hasMessenger(template) ? [`Then chat on ${usualUrl('messenger', 'http', offset)}`] : []),
    ...(hasEvm(template)
      ? [
          `Then connect a wallet to ${usualUrl('evm', 'http', offset)}, chain id ${EVM_CHAIN_ID}; the faucet is ${usualUrl('faucet', 'http', offset)}`,
        ]
      : []),
  ];
}
